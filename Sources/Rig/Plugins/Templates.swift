// Templates.swift: sources to begin with. SPDX-License-Identifier: MIT

import Foundation

/// The sources that `outboard new` writes, which are files of the installation.
package enum Templates {
  /// What stands in a template for the name.
  private static let placeholder = "Effect"

  /// A template with a name put in. [any]
  ///
  /// - Throws: `TemplateError`.
  package static func text(_ file: String, named name: String) throws(TemplateError) -> String {
    guard let folder = Installation.templates,
      let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    else { throw TemplateError(file: file) }
    let capital = name.prefix(1).uppercased() + name.dropFirst()
    return text.replacingOccurrences(of: placeholder, with: capital)
  }
}

/// A template that is not where it should be.
package struct TemplateError: Error, Equatable, CustomStringConvertible {
  let file: String

  /// One sentence for people.
  package var description: String {
    "The template \(file) is not installed beside this program; `make install` puts it there."
  }
}
