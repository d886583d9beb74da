// ManifestCursor.swift: converts YAML values to typed values and reports errors. SPDX-License-Identifier: MIT

import PluginModel

/// The diagnostics of one file.
///
/// Reading continues after an error, to report all of them at once.
package final class DiagnosticCollector {
  /// The path, as errors name it.
  package let file: String
  /// The errors so far, in the order of their detection.
  package private(set) var mistakes: [Diagnostic] = []
  /// The notes so far.
  package private(set) var notes: [Diagnostic] = []

  /// Creates a collector without diagnostics.
  package init(file: String) {
    self.file = file
  }

  /// Adds an error. [any]
  package func report(
    _ fault: DiagnosticKind, at position: SourcePosition?, keyPath: String
  ) {
    mistakes.append(
      Diagnostic(file: file, position: position, keyPath: keyPath, fault: fault))
  }

  /// Adds a note. [any]
  package func warn(_ fault: DiagnosticKind, at position: SourcePosition?, keyPath: String) {
    notes.append(Diagnostic(file: file, position: position, keyPath: keyPath, fault: fault))
  }

  /// Ends the reading if anything was wrong.
  package func throwIfErrors() throws(ManifestError) {
    if !mistakes.isEmpty { throw ManifestError(mistakes) }
  }
}

/// The kind of value that a key expects, for the error message.
package struct ExpectedValue {
  /// With its article, for instance `a number of frames`.
  package var what: String
  /// A line that would be right.
  package var example: String

  /// Creates an expectation.
  package init(what: String, example: String) { (self.what, self.example) = (what, example) }
}

/// A value, the keys that lead to it, and where to report its errors.
///
/// Each method converts the value to a type, or reports an error and returns nil.
package struct ManifestCursor {
  /// The value.
  package let node: YAMLNode
  /// The keys that lead to it, separated by dots; empty for the whole file.
  package let keyPath: String
  /// Collects its errors.
  package let diagnostics: DiagnosticCollector

  /// Creates a cursor at a value.
  package init(node: YAMLNode, keyPath: String, diagnostics: DiagnosticCollector) {
    (self.node, self.keyPath, self.diagnostics) = (node, keyPath, diagnostics)
  }

  /// Reports an error, at the value if no position is given. [any]
  package func report(_ fault: DiagnosticKind, at position: SourcePosition? = nil) {
    diagnostics.report(fault, at: position ?? node.position, keyPath: keyPath)
  }

  private func reportType(_ expected: ExpectedValue) {
    report(.wrongType(found: node.kind, expected: expected.what, example: expected.example))
  }

  // MARK: - Scalars

  /// Text of at least one letter, without the blanks around it.
  package func text(_ expected: ExpectedValue) -> String? {
    guard case .text(let text, _) = node.content, let trimmed = text.trimmed.nonEmpty else {
      reportType(expected)
      return nil
    }
    return trimmed
  }

  /// A decimal number without a unit.
  package func number(_ expected: ExpectedValue) -> Double? {
    guard case .text(let text, _) = node.content else {
      reportType(expected)
      return nil
    }
    guard let number = Quantity(text.trimmed), number.unit.isEmpty else {
      report(.notANumber(found: text.shortened, expected: expected.what, example: expected.example))
      return nil
    }
    return number.value
  }

  /// A whole number inside a range.
  package func integer(in range: ClosedRange<Int>, _ expected: ExpectedValue) -> Int? {
    guard let number = number(expected) else { return nil }
    guard number == number.rounded() else {
      report(
        .wrongType(found: plain(number), expected: expected.what, example: expected.example))
      return nil
    }
    guard number >= Double(range.lowerBound), number <= Double(range.upperBound) else {
      report(
        .outOfRange(
          found: plain(number), minimum: "\(range.lowerBound)", maximum: "\(range.upperBound)"))
      return nil
    }
    return Int(number)
  }

  /// `true` or `false`, in any spelling that some version of YAML takes for them.
  package func boolean(_ what: String = "true or false", example: String) -> Bool? {
    guard case .text(let text, _) = node.content, let value = switchPosition(text) else {
      reportType(ExpectedValue(what: what, example: example))
      return nil
    }
    return value
  }

  /// Returns one of the known words.
  package func word(among known: [String], _ expected: ExpectedValue) -> String? {
    guard let text = text(expected) else { return nil }
    if let word = known.first(where: { $0 == text }) { return word }
    report(.unknownWord(found: text, suggestion: suggestion(for: text, among: known), known: known))
    return nil
  }

  // MARK: - Collections

  /// The items of a list.
  package func items(_ expected: ExpectedValue) -> [ManifestCursor]? {
    guard case .list(let items) = node.content else {
      reportType(expected)
      return nil
    }
    return items.enumerated().map {
      ManifestCursor(
        node: $0.element, keyPath: "\(keyPath)[\($0.offset + 1)]", diagnostics: diagnostics)
    }
  }

  /// Returns the entries of a mapping.
  ///
  /// A repeated key is reported and omitted.
  package func entries(
    _ expected: ExpectedValue,
    repeated: (_ firstLine: Int) -> DiagnosticKind = { .duplicateKey(firstLine: $0) }
  ) -> [ManifestField]? {
    guard case .mapping(let entries) = node.content else {
      reportType(expected)
      return nil
    }
    var firstLines: [String: Int] = [:]
    var fields: [ManifestField] = []
    for entry in entries {
      let path = keyPath.isEmpty ? entry.key : "\(keyPath).\(entry.key)"
      if let line = firstLines[entry.key] {
        diagnostics.report(repeated(line), at: entry.keyPosition, keyPath: path)
        continue
      }
      firstLines[entry.key] = entry.keyPosition.line
      fields.append(
        ManifestField(
          key: entry.key, position: entry.keyPosition,
          value: ManifestCursor(node: entry.value, keyPath: path, diagnostics: diagnostics)))
    }
    return fields
  }

  /// The entries of a mapping of which all keys are known; others are reported.
  package func fields(known: [String], _ expected: ExpectedValue) -> ManifestFields? {
    guard let entries = entries(expected) else { return nil }
    let fields = ManifestFields(owner: self, fields: entries, known: known)
    for field in entries where !known.contains(field.key) {
      field.reportUnknown(known: known)
    }
    return fields
  }
}

/// A key of a mapping, with its value.
package struct ManifestField {
  /// The key.
  package let key: String
  /// The position of the key.
  package let position: SourcePosition
  /// The value.
  package let value: ManifestCursor

  /// Reports at the key rather than at the value.
  package func report(_ fault: DiagnosticKind) {
    value.report(fault, at: position)
  }

  /// Reports that the key is unknown, with the most similar known one. [any]
  package func reportUnknown(known: [String]) {
    report(.unknownKey(suggestion: suggestion(for: key, among: known), known: known))
  }
}

/// A mapping's keys and values.
package struct ManifestFields {
  /// The mapping.
  package let owner: ManifestCursor
  /// The keys, in the order of the file, including unknown ones.
  package let fields: [ManifestField]
  /// The keys that are defined for it.
  package let known: [String]

  /// Creates the keys of a mapping.
  package init(owner: ManifestCursor, fields: [ManifestField], known: [String]) {
    (self.owner, self.fields, self.known) = (owner, fields, known)
  }

  /// The key with its position.
  package func field(_ key: String) -> ManifestField? {
    fields.first { $0.key == key }
  }

  /// Returns an optional value.
  package subscript(key: String) -> ManifestCursor? {
    field(key)?.value
  }

  /// Whether an unknown key is probably this one.
  package func isMisspelt(_ key: String) -> Bool {
    fields.contains { !known.contains($0.key) && suggestion(for: $0.key, among: known) == key }
  }

  /// Returns a required value, and reports if it is missing.
  ///
  /// A misspelt key was reported before.
  package func required(_ key: String, example: String) -> ManifestCursor? {
    if let value = self[key] { return value }
    guard !isMisspelt(key) else { return nil }
    let path = owner.keyPath.isEmpty ? key : "\(owner.keyPath).\(key)"
    owner.diagnostics.report(
      .missingKey(example: example), at: owner.node.position, keyPath: path)
    return nil
  }
}
