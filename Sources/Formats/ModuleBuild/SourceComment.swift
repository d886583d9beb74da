// SourceComment.swift: the manifest in a source comment. SPDX-License-Identifier: MIT

/// The YAML text of a comment after `outboard:`.
package struct SourceComment: Sendable, Equatable {
  /// The YAML text, with the same lines and columns as in the source file.
  package let text: String
  /// Whether the comment is one mapping in braces instead of lines of keys.
  package let isInBraces: Bool

  private static let mark = "outboard:"

  /// Returns the line of the second such comment in a source, from 1; nil if there is none. [any]
  package static func secondLine(in source: SourceText) -> Int? {
    let lines = source.comments.flatMap { comment in
      comment.lines.indices.filter { isMarked(comment.lines[$0]) }.map { comment.firstLine + $0 }
    }
    return lines.count > 1 ? lines[1] : nil
  }

  private static func isMarked(_ line: String) -> Bool {
    line.drop(while: \.isWhitespace).starts(with: mark)
  }

  /// Finds the first such comment; nil if there is none. [any]
  ///
  /// On one line, `// outboard: inputs: 1, outputs: 1`, it is a mapping with optional braces. Otherwise the lines
  /// below the marker are the manifest.
  package init?(in source: SourceText) {
    for comment in source.comments {
      guard
        let first = comment.lines.firstIndex(where: Self.isMarked),
        let mark = comment.lines[first].firstRange(of: Self.mark)
      else { continue }
      let line = comment.lines[first]
      let rest = line[mark.upperBound...]
      let above = String(repeating: "\n", count: comment.firstLine - 1 + first)
      guard let start = rest.firstIndex(where: { !$0.isWhitespace }) else {
        text = above + "\n" + comment.lines[(first + 1)...].joined(separator: "\n")
        isInBraces = false
        return
      }
      let width = line.distance(from: line.startIndex, to: start)
      let words = String(rest[start...].reversed().drop(while: \.isWhitespace).reversed())
      // The brace replaces a blank, which always exists after the colon.
      let blanks = String(repeating: " ", count: max(0, width - (words.hasPrefix("{") ? 0 : 1)))
      text = above + blanks + (words.hasPrefix("{") ? words : "{\(words)}")
      isInBraces = true
      return
    }
    return nil
  }
}
