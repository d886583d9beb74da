// YAMLSyntaxError.swift: the YAML parser's problems in plain words. SPDX-License-Identifier: MIT

/// What libyaml objects to, and a sentence that someone who has never read YAML's grammar can use.
struct YAMLSyntaxError {
  /// What libyaml says is wrong.
  var problem: String
  /// What it says it was doing.
  var context = ""
  /// The line in which it began to do that.
  var contextLine: Int?
  /// The letter at which it stopped.
  var letter: Unicode.Scalar?

  /// Whether the mistake lies where the parser began rather than where it gave up.
  var isAtContext: Bool {
    ["could not find expected ':'", "found unexpected end of stream"].contains(problem)
  }

  /// What is wrong and what would be right.
  var sentence: String {
    if letter == "\t" { return "a tab stands where YAML wants spaces; indent with spaces." }
    switch problem {
    case "found character that cannot start any token":
      let found = letter.map { "\"\(Character($0))\"" } ?? "this letter"
      return "a value cannot begin with \(found); put the value in quotes."
    case "mapping values are not allowed in this context":
      return "a \": \" stands where none can; put a value that holds it in quotes, or check the"
        + " indentation."
    case "did not find expected key", "did not find expected '-' indicator":
      let block = contextLine.map { "the block that begins in line \($0)" } ?? "what is above it"
      return "this line does not fit \(block); check its indentation and its quotes."
    case "could not find expected ':'":
      return "no \": \" follows this key; write \"key: value\"."
    case "did not find expected ',' or '}'":
      return "the \"{\"\(since) is not closed, or a comma is missing."
    case "did not find expected ',' or ']'":
      return "the \"[\"\(since) is not closed, or a comma is missing."
    case "found unexpected end of stream":
      return "the quote that begins here is not closed."
    case "found undefined alias":
      return "\"*\" refers to an anchor that does not exist; put a value that begins with it in"
        + " quotes."
    case "but found another document":
      return "a second document begins here; a manifest is one, so take the \"---\" away."
    case "block sequence entries are not allowed in this context":
      return "a list cannot begin here; put its first \"-\" on a line of its own, indented."
    case "did not find expected node content":
      guard let letter else { return "the file ends inside a \"{\" or \"[\" that is not closed." }
      return "a value is expected before this \"\(Character(letter))\"."
    case "did not find expected <document start>":
      return "this line does not belong to what is above it; check the indentation and the quotes."
    case "found unexpected ':'":
      return "a \":\" stands where none can; put the value that holds it in quotes."
    case "did not find expected alphabetic or numeric character":
      return "a value cannot begin with \"*\" or \"&\"; put it in quotes."
    case "did not find expected comment or line break":
      return "after \"|\" or \">\" the text begins on the next line; put a value that begins with"
        + " one of them in quotes."
    default:
      return "this is not YAML: \(problem)\(context.isEmpty ? "" : " \(context)")."
    }
  }

  private var since: String {
    contextLine.map { " of line \($0)" } ?? ""
  }
}
