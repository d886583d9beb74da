// SourceText.swift: C, C++ or Swift as pieces: comments, and code without them. SPDX-License-Identifier: MIT

/// A source file, read just far enough to tell comments and literals from code.
package struct SourceText: Sendable {
  /// A comment, or lines of `//` one below the other.
  struct Comment: Equatable {
    /// Its lines, with a blank in place of each letter that is not of its text, so that all stand in
    /// the columns where they stand in the file.
    var lines: [String]
    /// The line of the file at which it begins, from 1.
    var firstLine: Int
  }

  /// Words, numbers and signs of the code, in order.
  let tokens: [String]
  /// The line of each of them, from 1.
  let lines: [Int]

  /// Whether a word stands in the code, outside of comments and text. [any]
  package func mentions(_ word: String) -> Bool { tokens.contains(word) }
  let comments: [Comment]

  /// Reads a file's text. [any]
  package init(_ text: String) {
    var scanner = Scanner(text)
    scanner.scan()
    tokens = scanner.tokens
    lines = scanner.lines
    comments = scanner.comments
  }
}

/// Goes through a text once.
private struct Scanner {
  private let letters: [Character]
  private var place = 0
  private var line = 1
  private var column = 0
  private(set) var tokens: [String] = []
  private(set) var lines: [Int] = []
  private(set) var comments: [SourceText.Comment] = []
  /// Whether the last comment was of one line, and nothing but blanks came after it.
  private var mayGoOn = false

  init(_ text: String) { letters = Array(text) }

  mutating func scan() {
    while place < letters.count {
      let letter = letters[place]
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
          mayGoOn = false
        }
        step()
      }
    }
  }

  private func starts(with text: String) -> Bool {
    place + text.count <= letters.count && zip(letters[place...], text).allSatisfy { $0 == $1 }
  }

  private mutating func append(_ token: String) {
    tokens.append(token)
    lines.append(line)
  }

  private mutating func step() {
    if letters[place].isNewline {
      line += 1
      column = 0
    } else {
      column += 1
    }
    place += 1
  }

  private mutating func take(_ belongs: (Character) -> Bool) {
    var word = ""
    while place < letters.count, belongs(letters[place]) {
      word.append(letters[place])
      step()
    }
    append(word)
    mayGoOn = false
  }

  /// A text or a letter in quotes; what is in it is no code.
  private mutating func literal(_ quote: Character) {
    append(String(quote))
    mayGoOn = false
    step()
    while place < letters.count, letters[place] != quote, !letters[place].isNewline {
      if letters[place] == "\\", place + 1 < letters.count { step() }
      step()
    }
    if place < letters.count { step() }
  }

  private mutating func lineComment() {
    let first = line
    var text = String(repeating: " ", count: column)
    var isMark = true
    while place < letters.count, !letters[place].isNewline {
      // Two strokes, or three where it documents something.
      isMark = isMark && letters[place] == "/"
      text.append(isMark ? " " : letters[place])
      step()
    }
    if mayGoOn, let last = comments.last, last.firstLine + last.lines.count == first {
      comments[comments.count - 1].lines.append(text)
    } else {
      comments.append(SourceText.Comment(lines: [text], firstLine: first))
    }
    mayGoOn = true
  }

  private mutating func blockComment() {
    let first = line
    var lines = [String(repeating: " ", count: column) + "  "]
    step()
    step()
    // A star at the beginning of a line is decoration.
    var mayDecorate = false
    while place < letters.count, !starts(with: "*/") {
      let letter = letters[place]
      if letter.isNewline {
        lines.append("")
        mayDecorate = true
      } else {
        let isDecoration = mayDecorate && letter == "*"
        lines[lines.count - 1].append(isDecoration ? " " : letter)
        if !letter.isWhitespace { mayDecorate = false }
      }
      step()
    }
    for _ in 0 ..< 2 where place < letters.count { step() }
    comments.append(SourceText.Comment(lines: lines, firstLine: first))
    mayGoOn = false
  }
}
