// YAMLSyntaxError.swift: readable messages for YAML syntax errors. SPDX-License-Identifier: MIT

/// A problem that libyaml reports, and a message that needs no knowledge of YAML's grammar.
struct YAMLSyntaxError {
  /// libyaml's problem text.
  var problem: String
  /// libyaml's context text.
  var context = ""
  /// The line in which it began to do that.
  var contextLine: Int?
  /// The letter at which it stopped.
  var letter: Unicode.Scalar?

  /// Whether the error is at the start of the construct, not where the parser stopped.
  var isAtContext: Bool {
    ["could not find expected ':'", "found unexpected end of stream"].contains(problem)
  }

  /// The message: what is wrong, and how to fix it.
  var message: String {
    if letter == "\t" { return "YAML does not allow tabs here. Indent with spaces." }
    switch problem {
    case "found character that cannot start any token":
      let found = letter.map { "\"\(Character($0))\"" } ?? "this letter"
      return "a value cannot start with \(found). Put the value in quotes."
    case "mapping values are not allowed in this context":
      return "unexpected \": \". Put the value in quotes or check the indentation."
    case "did not find expected key", "did not find expected '-' indicator":
      let block = contextLine.map { "the block that begins in line \($0)" } ?? "the lines above"
      return "this line does not belong to \(block). Check its indentation and quotes."
    case "could not find expected ':'":
      return "expected \": \" after the key. Write \"key: value\"."
    case "did not find expected ',' or '}'":
      return "a comma is missing, or the \"{\"\(since) is not closed."
    case "did not find expected ',' or ']'":
      return "a comma is missing, or the \"[\"\(since) is not closed."
    case "found unexpected end of stream":
      return "the quote that begins here is not closed."
    case "found undefined alias":
      return "\"*\" refers to an anchor that does not exist. To start a value with it, put it in"
        + " quotes."
    case "but found another document":
      return "a second document starts here. A file has one document; remove \"---\"."
    case "block sequence entries are not allowed in this context":
      return "a list cannot start here. Put its first \"-\" on a separate line and indent it."
    case "did not find expected node content":
      guard let letter else { return "the file ends inside a \"{\" or \"[\" that is not closed." }
      return "expected a value before this \"\(Character(letter))\"."
    case "did not find expected <document start>":
      return "this line does not continue the lines above. Check the indentation and quotes."
    case "found unexpected ':'":
      return "unexpected \":\". Put the value in quotes."
    case "did not find expected alphabetic or numeric character":
      return "a value cannot start with \"*\" or \"&\". Put it in quotes."
    case "did not find expected comment or line break":
      return "text after \"|\" or \">\" must start on the next line. To start a value with one of"
        + " them, put it in quotes."
    default:
      return "this is not YAML: \(problem)\(context.isEmpty ? "" : " \(context)")."
    }
  }

  private var since: String {
    contextLine.map { " of line \($0)" } ?? ""
  }
}
