// Templates.swift: sources to begin with. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The sources that `outboard new` writes, which are files of the installation.
package enum Templates {
  /// A template with a name put in, for `Effect`, and for `effect` where that is a file's name. [any]
  ///
  /// - Throws: `TemplateError`.
  package static func text(_ file: String, named name: String) throws(TemplateError) -> String {
    guard let folder = InstallPaths.templates,
      let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    else { throw TemplateError(file: file) }
    let capital = name.prefix(1).uppercased() + name.dropFirst()
    let ending = URL(fileURLWithPath: file).pathExtension
    // A word of its own, as other names contain it; in `Effect.self` too, which is one word to Unicode.
    return text.replacing(/\bEffect\b/.wordBoundaryKind(.simple), with: capital)
      .replacing("effect.\(ending)", with: "\(name).\(ending)")
  }
}

/// A template that is not where it should be.
package struct TemplateError: Error, Equatable, CustomStringConvertible {
  let file: String

  /// One sentence for people.
  package var description: String {
    "The template \(file) is not installed. Run `make install`."
  }
}
