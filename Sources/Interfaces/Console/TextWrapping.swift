// TextWrapping.swift: word wrapping. SPDX-License-Identifier: MIT

/// Wraps text between words.
package enum TextWrapping {
  /// Returns lines with `indent` leading spaces and at most `columns` columns, if words are short enough. [any]
  ///
  /// Returns one line if `columns` is nil.
  package static func lines(_ text: String, indent: Int, columns: Int?) -> [String] {
    let blanks = String(repeating: " ", count: indent)
    guard let columns else { return [blanks + text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.columnCount + 1 + String(word).columnCount > columns {
        lines.append(blanks + line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return lines + [blanks + line]
  }
}
