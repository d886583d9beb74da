// Templates.swift: templates of source modules. SPDX-License-Identifier: MIT

package import ErrorModel
import FoundationEssentials
import Glibc

/// The templates of `outboard new`, which are files of the installation.
package enum Templates {
  /// Returns a template with a name instead of `Effect`, and of `effect` in file names. [any]
  ///
  /// - Throws: `TemplateError`.
  package static func text(_ file: String, named name: String) throws(TemplateError) -> String {
    guard let directory = InstallPaths.templates,
      let text = try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
    else { throw TemplateError(file: file) }
    let capital = name.prefix(1).uppercased() + name.dropFirst()
    let ending = URL(fileURLWithPath: file).pathExtension
    // Match whole words only, because other names contain it. `Effect.self` is one word in Unicode, but must match.
    return text.replacing(/\bEffect\b/.wordBoundaryKind(.simple), with: capital)
      .replacing("effect.\(ending)", with: "\(name).\(ending)")
  }
}

/// A template that is missing from the installation.
package struct TemplateError: Equatable {
  let file: String

  /// The message to the user.
  package var description: String {
    "The template \(file) is not installed. Run `make install`."
  }
}

extension TemplateError: HostError {
  /// A missing template counts as an error of the request.
  package var kind: ErrorKind { .usage }
}
