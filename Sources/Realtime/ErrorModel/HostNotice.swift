// HostNotice.swift: messages about events, as data. SPDX-License-Identifier: MIT

/// A message for the user about an event, with a name and values for programs.
///
/// Each module has one list of its notices: static functions of this type in a file `...Notices.swift`. The template is
/// the text with the names of fields in braces, as in `Reloaded {source} in {milliseconds} ms.`
package struct HostNotice: Sendable, Equatable, CustomStringConvertible {
  /// The name of the event, which stays the same when the text changes.
  package let name: String
  /// Names and values for programs, which otherwise would have to parse the text.
  package private(set) var fields: [String: String]
  /// Whether the event is a loss or a fault, and not a change that was expected.
  package private(set) var isWarning = true
  private var template: String

  /// Creates a notice.
  ///
  /// - Parameters:
  ///   - name: the name of the event.
  ///   - template: the text with the names of fields in braces.
  ///   - values: the fields of the template in their order, except `error` and `details`.
  ///   - details: further fields.
  ///   - error: the cause. The fields `error` and `kind` are its text and its kind.
  package init(
    _ name: String, _ template: String, _ values: String..., details: [String: String] = [:],
    error: (any Error)? = nil
  ) {
    (self.name, self.template, fields) = (name, template, details)
    var index = 0
    for (isName, piece) in Self.pieces(template) where isName && piece != "error" {
      guard fields[String(piece)] == nil else { continue }
      fields[String(piece)] = values[index]
      index += 1
    }
    if let error { add(error) }
  }

  /// The same about a change that was expected.
  package var asInformation: HostNotice {
    var notice = self
    notice.isWarning = false
    return notice
  }

  /// A message that has no other name, such as the note of a command.
  package static func note(_ text: String) -> HostNotice { HostNotice("note", "{text}", text) }

  /// Adds a sentence about the outcome.
  ///
  /// - Parameters:
  ///   - outcome: the field `outcome`.
  ///   - sentence: the template of the sentence, with the field `error` at most.
  ///   - error: the cause.
  /// - Returns: the longer notice.
  package func then(
    _ outcome: String, _ sentence: String, error: (any Error)? = nil
  ) -> HostNotice {
    var notice = self
    notice.template += " " + sentence
    notice.fields["outcome"] = outcome
    if let error { notice.add(error) }
    return notice
  }

  private mutating func add(_ error: any Error) {
    fields["error"] = "\(error)"
    let error = error as? any HostError
    fields["kind"] = (error?.kind ?? .failure).rawValue
    fields.merge(error?.fields ?? [:]) { own, _ in own }
  }

  /// The text.
  package var description: String {
    Self.pieces(template).reduce(into: "") { text, piece in
      text += piece.isName ? fields[String(piece.text)] ?? "" : String(piece.text)
    }
  }

  /// Literal text and names in turns.
  private static func pieces(_ template: String) -> [(isName: Bool, text: Substring)] {
    template.split(omittingEmptySubsequences: false) { $0 == "{" || $0 == "}" }.enumerated()
      .map { ($0 % 2 == 1, $1) }
  }
}
