// SourceText.swift: splits C, C++ or Swift into comments and code tokens. SPDX-License-Identifier: MIT

/// A source file, parsed into comments and code tokens.
package struct SourceText: Sendable {
  /// A comment, or consecutive `//` lines.
  struct Comment: Equatable {
    /// The lines, with blanks in place of all other characters, so that columns are the same as in the file.
    var lines: [String]
    /// The first line in the file, from 1.
    var firstLine: Int
  }

  /// The tokens of the code, in order.
  let tokens: [String]
  /// The line of each token, from 1.
  let lines: [Int]

  /// Whether a word occurs in the code, outside of comments and strings. [any]
  package func mentions(_ word: String) -> Bool { tokens.contains(word) }
  let comments: [Comment]

  /// Parses a text. [any]
  package init(_ text: String) {
    var scanner = Scanner(text)
    scanner.scan()
    tokens = scanner.tokens
    lines = scanner.lines
    comments = scanner.comments
  }
}

/// The scanner state.
private struct Scanner {
  private let letters: [Character]
  private var position = 0
  private var line = 1
  private var column = 0
  private(set) var tokens: [String] = []
  private(set) var lines: [Int] = []
  private(set) var comments: [SourceText.Comment] = []
  /// Whether the last comment was a line comment with only blanks after it.
  private var canContinue = false

  init(_ text: String) { letters = Array(text) }

  mutating func scan() {
    while position < letters.count {
      let letter = letters[position]
      if starts(with: "//") {
        lineComment()
      } else if starts(with: "/*") {
        blockComment()
      } else if letter == "\"" || letter == "'" {
        literal(letter)
      } else if letter.isLetter || letter == "_" {
        take { $0.isLetter || $0.isNumber || $0 == "_" }
      } else if letter.isNumber {
        take { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
      } else {
        if !letter.isWhitespace {
          append(String(letter))
          canContinue = false
        }
        step()
      }
    }
  }

  private func starts(with text: String) -> Bool {
    position + text.count <= letters.count
      && zip(letters[position...], text).allSatisfy { $0 == $1 }
  }

  private mutating func append(_ token: String) {
    tokens.append(token)
    lines.append(line)
  }

  private mutating func step() {
    if letters[position].isNewline {
      line += 1
      column = 0
    } else {
      column += 1
    }
    position += 1
  }

  private mutating func take(_ belongs: (Character) -> Bool) {
    var word = ""
    while position < letters.count, belongs(letters[position]) {
      word.append(letters[position])
      step()
    }
    append(word)
    canContinue = false
  }

  /// Skips a string or character literal.
  private mutating func literal(_ quote: Character) {
    append(String(quote))
    canContinue = false
    step()
    while position < letters.count, letters[position] != quote, !letters[position].isNewline {
      if letters[position] == "\\", position + 1 < letters.count { step() }
      step()
    }
    if position < letters.count { step() }
  }

  private mutating func lineComment() {
    let first = line
    var text = String(repeating: " ", count: column)
    var isMark = true
    while position < letters.count, !letters[position].isNewline {
      // Two slashes, or three in a documentation comment.
      isMark = isMark && letters[position] == "/"
      text.append(isMark ? " " : letters[position])
      step()
    }
    if canContinue, let last = comments.last, last.firstLine + last.lines.count == first {
      comments[comments.count - 1].lines.append(text)
    } else {
      comments.append(SourceText.Comment(lines: [text], firstLine: first))
    }
    canContinue = true
  }

  private mutating func blockComment() {
    let first = line
    var lines = [String(repeating: " ", count: column) + "  "]
    step()
    step()
    // A star at the start of a line is decoration.
    var canDecorate = false
    while position < letters.count, !starts(with: "*/") {
      let letter = letters[position]
      if letter.isNewline {
        lines.append("")
        canDecorate = true
      } else {
        let isDecoration = canDecorate && letter == "*"
        lines[lines.count - 1].append(isDecoration ? " " : letter)
        if !letter.isWhitespace { canDecorate = false }
      }
      step()
    }
    for _ in 0 ..< 2 where position < letters.count { step() }
    comments.append(SourceText.Comment(lines: lines, firstLine: first))
    canContinue = false
  }
}
