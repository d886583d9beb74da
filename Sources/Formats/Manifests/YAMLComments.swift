// YAMLComments.swift: carries comments from one text to another. SPDX-License-Identifier: MIT

/// Copies the comments of a YAML text to a new text with the same keys.
///
/// A comment belongs to the first key or list item of its line, or of the next line with one. It is
/// found again by the path of that key, so it moves with it.
package enum YAMLComments {
  /// Returns the new text with the comments of the old one. [any]
  ///
  /// A comment of a value that the new text lacks goes to the mapping that had it. Comments of a
  /// mapping or list item that the new text lacks are left out.
  ///
  /// - Parameters:
  ///   - old: the text with comments.
  ///   - new: the text to write, with one key or item per line.
  /// - Returns: a text with the same values as `new`; `new` itself if one of the texts is not YAML.
  package static func carried(from old: String, to new: String) -> String {
    guard let oldRoot = try? YAMLParser.parse(old, file: ""),
      let newRoot = try? YAMLParser.parse(new, file: "")
    else { return new }
    let source = YAMLOutline(oldRoot)
    let target = YAMLOutline(newRoot)
    var lines = split(new).map { Line(text: $0) }
    let (comments, end) = comments(of: split(old), source)
    for comment in comments {
      guard let line = target.line(of: comment.path, isValue: source.values.contains(comment.path))
      else { continue }
      lines[line - 1].add(comment, isMoved: target.lines[comment.path] == nil)
    }
    let text = (lines.flatMap(\.written) + end).joined(separator: "\n") + "\n"
    // A `#` in a text of several lines looks like a comment.
    guard let root = try? YAMLParser.parse(text, file: ""), root.hasSameValues(as: newRoot) else {
      return new
    }
    return text
  }

  /// Comments that belong to a key or item.
  private struct Comment {
    let path: String
    /// Whole lines before it, without indentation; an empty text is an empty line.
    var above: [String]
    /// The comment at the end of its line, and its column, from 0.
    var trailing: (text: String, column: Int)?
  }

  private struct Line {
    let text: String
    var above: [String] = []
    var trailing: (text: String, column: Int)?

    mutating func add(_ comment: Comment, isMoved: Bool) {
      above += comment.above.filter { !isMoved || !$0.isEmpty }
      guard let found = comment.trailing else { return }
      if isMoved || trailing != nil { above.append(found.text) } else { trailing = found }
    }

    var written: [String] {
      let indentation = String(text.prefix { $0 == " " })
      let before = above.map { $0.isEmpty ? "" : indentation + $0 }
      guard let trailing else { return before + [text] }
      let gap = String(repeating: " ", count: max(2, trailing.column - text.count))
      return before + [text + gap + trailing.text]
    }
  }

  private static func split(_ text: String) -> [String] {
    // A carriage return and a line feed are one character.
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Returns the comments of a text, and the lines after the last key.
  private static func comments(
    of lines: [String], _ outline: YAMLOutline
  ) -> (found: [Comment], end: [String]) {
    var found: [Comment] = []
    var above: [String] = []
    for (index, line) in lines.enumerated() {
      let (content, column) = content(of: line)
      let comment = column.map { String(line.dropFirst($0)) }
      if content.allSatisfy(\.isWhitespace) {
        // Empty lines between comments are kept; those between keys are layout.
        if comment != nil || !above.isEmpty { above.append(comment ?? "") }
        continue
      }
      guard let path = outline.firstPaths[index + 1] else {
        if let comment { above.append(comment) }
        continue
      }
      while above.last == "" { above.removeLast() }
      let trailing = column.flatMap { column in comment.map { ($0, column) } }
      if !above.isEmpty || trailing != nil {
        found.append(Comment(path: path, above: above, trailing: trailing))
      }
      above = []
    }
    while above.last == "" { above.removeLast() }
    return (found, above)
  }

  /// Returns a line without its comment, and the column of that, from 0.
  private static func content(of line: String) -> (text: Substring, commentColumn: Int?) {
    var quote: Character?
    var last: Character = " "
    for (column, letter) in line.enumerated() {
      if let open = quote {
        if letter == open, open == "'" || last != "\\" { quote = nil }
      } else if letter == "#", last.isWhitespace {
        return (line.prefix(column), column)
      } else if letter == "\"" || letter == "'", !last.isLetter, !last.isNumber {
        quote = letter
      }
      last = letter == "\\" && last == "\\" ? " " : letter
    }
    return (line[...], nil)
  }
}
