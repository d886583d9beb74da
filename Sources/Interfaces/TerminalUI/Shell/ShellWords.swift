// ShellWords.swift: the words of a line. SPDX-License-Identifier: MIT

package import ErrorModel

/// Splits a line into words as shells do: at spaces, with quotes and backslashes.
///
/// Nothing is expanded.
package enum ShellWords {
  /// A quotation mark without its partner.
  package struct OpenQuote: HostError, Equatable {
    /// The mark.
    package let mark: Character

    /// The message for users.
    package var description: String { "The quotation mark \(mark) is not closed." }
    /// The line is wrong.
    package var kind: ErrorKind { .usage }
  }

  /// A word, and where it begins in the line.
  struct Word: Equatable {
    var text: String
    /// The number of code points before it.
    var start: Int
  }

  /// Returns the words; a `#` at the beginning of a word begins a comment. [any]
  ///
  /// - Throws: `OpenQuote` if a quotation mark has no partner.
  package static func split(_ line: String) throws(OpenQuote) -> [String] {
    let (words, open) = parse(line)
    if let open { throw OpenQuote(mark: open) }
    return words.map(\.text)
  }

  /// Returns the words, and the quotation mark that is open at the end.
  static func parse(_ line: String) -> (words: [Word], open: Character?) {
    var words: [Word] = []
    var word: Word?
    var quote: Unicode.Scalar?
    var isEscaped = false
    for (index, scalar) in line.unicodeScalars.enumerated() {
      if isEscaped {
        word?.text.unicodeScalars.append(scalar)
        isEscaped = false
        continue
      }
      if quote == nil, scalar == "#", word == nil { break }
      if quote == nil, scalar == " " || scalar == "\t" {
        if let word { words.append(word) }
        word = nil
        continue
      }
      if word == nil { word = Word(text: "", start: index) }
      switch scalar {
      case "\\" where quote != "'": isEscaped = true
      case "\"", "'":
        if quote == scalar {
          quote = nil
        } else if quote == nil {
          quote = scalar
        } else {
          word?.text.unicodeScalars.append(scalar)
        }
      default: word?.text.unicodeScalars.append(scalar)
      }
    }
    if let word { words.append(word) }
    return (words, quote.map { Character($0) })
  }

  /// Returns a word that is read as this text; the part up to the first `=` stays without quotation marks.
  package static func quoted(_ text: String) -> String {
    let special = Set(" \t\"'\\#")
    guard text.contains(where: special.contains) else { return text }
    if let equals = text.firstIndex(of: "="), !text[..<equals].contains(where: special.contains) {
      return text[...equals] + marked(String(text[text.index(after: equals)...]))
    }
    return marked(text)
  }

  private static func marked(_ text: String) -> String {
    var result = "\""
    for character in text {
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    }
    return result + "\""
  }
}
