// TextWrapping.swift: sentences in lines that fit. SPDX-License-Identifier: MIT

/// Text broken between words.
package enum TextWrapping {
  /// Lines that begin with `indent` blanks and take up at most `columns`, where words allow it; one
  /// line where `columns` is nil. [any]
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
