// RigConnectionReader.swift: a rig's connections. SPDX-License-Identifier: MIT

import Manifests

/// Reads the connections of a rig.
enum RigConnectionReader {
  private static let connectionKeys = ["from", "to", "gain", "delay"]
  /// The range of gains: lower gains are silence, and higher ones are typing errors that hurt ears.
  fileprivate static let gainsDecibels = -200.0 ... 40.0
  private static let arrow = "->"

  /// Reads the connections; a chain of arrows becomes several connections.
  static func readConnections(_ cursor: ManifestCursor) -> [RigConnection] {
    let expected = ExpectedValue(what: "a list of connections", example: "- in -> out")
    return (cursor.items(expected) ?? []).flatMap(readConnection)
  }

  private static func readConnection(_ cursor: ManifestCursor) -> [RigConnection] {
    let expected = ExpectedValue(what: "a connection", example: "- in -> out")
    guard case .mapping(let entries) = cursor.node.content else {
      return cursor.text(expected).map { readChain($0, cursor) } ?? []
    }
    guard !entries.contains(where: { $0.key.contains(arrow) }) else {
      cursor.report(
        .broken(
          rule: "an arrow has no value. To set a gain, write \"{from: in, to: out, gain: -6 dB}\".")
      )
      return []
    }
    guard let fields = cursor.fields(known: connectionKeys, expected) else { return [] }
    let from = readEnd(fields.required("from", example: "from: in"), example: "from: in")
    let to = readEnd(fields.required("to", example: "to: out"), example: "to: out")
    let gain = fields["gain"].flatMap(readGain) ?? 0
    // An invalid delay still counts as a delay, so that no loop is reported.
    let delay = fields["delay"].map { readDelay($0) ?? 1 }
    guard let from, let to else { return [] }
    var connection = RigConnection(
      from: from, to: to, gainDecibels: gain, keyPath: cursor.keyPath)
    connection.delaySeconds = delay
    return [connection]
  }

  // MARK: - Chains

  private static func readChain(_ text: String, _ cursor: ManifestCursor) -> [RigConnection] {
    let pieces = splitAtArrows(text)
    guard pieces.count > 1 else {
      cursor.report(
        .wrongType(
          found: cursor.node.kind, expected: "a connection", example: "- in -> reverb -> out"))
      return []
    }
    // A quoted text begins one column to the right.
    var column = cursor.node.position.column
    if case .text(_, isQuoted: true) = cursor.node.content { column += 1 }
    let ends = pieces.map { piece in
      let position = SourcePosition(
        line: cursor.node.position.line, column: column + piece.offset)
      return makeEnd(piece.text, at: position, cursor)
    }
    return zip(ends, ends.dropFirst()).compactMap { from, to in
      guard let from, let to else { return nil }
      return RigConnection(from: from, to: to, gainDecibels: 0, keyPath: cursor.keyPath)
    }
  }

  /// Splits a text at its arrows.
  ///
  /// Each part has its offset from the start in Unicode scalars.
  private static func splitAtArrows(_ text: String) -> [(text: String, offset: Int)] {
    var pieces: [(text: String, offset: Int)] = []
    var rest = Substring(text)
    var counted = (index: text.startIndex, offset: 0)
    while true {
      let end = rest.firstRange(of: arrow)
      let piece = rest[..<(end?.lowerBound ?? rest.endIndex)]
      let start = piece.firstIndex { !$0.isWhitespace } ?? piece.startIndex
      // Counted from the previous part: counting from the start would be quadratic in the length of a chain.
      counted.offset += text.unicodeScalars.distance(from: counted.index, to: start)
      counted.index = start
      pieces.append((String(piece).trimmed, counted.offset))
      guard let end else { return pieces }
      rest = rest[end.upperBound...]
    }
  }

  // MARK: - Ends

  private static func readEnd(_ cursor: ManifestCursor?, example: String) -> ConnectionEndpoint? {
    let expected = ExpectedValue(what: "a node, \"in\" or \"out\"", example: example)
    guard let cursor, let text = cursor.text(expected) else { return nil }
    return makeEnd(text, at: cursor.node.position, cursor)
  }

  private static func makeEnd(
    _ text: String, at position: SourcePosition, _ cursor: ManifestCursor
  ) -> ConnectionEndpoint? {
    let parts = unquoted(text).split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0]).trimmed
    let ports = parts.count > 1 ? ConnectionEndpoint.Ports(String(parts[1]).trimmed) : .all
    guard RigNodeReader.isNodeName(name), let ports else {
      cursor.report(.malformedEnd(found: text.nonEmpty?.shortened ?? ""), at: position)
      return nil
    }
    return ConnectionEndpoint(location: location(name), ports: ports, position: position)
  }

  /// Removes quotes.
  ///
  /// In the middle of a chain they are ordinary characters to YAML, but not to a user who writes
  /// `in -> "desk:1-2"`.
  private static func unquoted(_ text: String) -> Substring {
    guard text.count > 2, let first = text.first, "\"'".contains(first), text.last == first else {
      return text[...]
    }
    return text.dropFirst().dropLast()
  }

  private static func location(_ name: String) -> ConnectionEndpoint.Location {
    switch name {
    case "in": .input
    case "out": .output
    default: .node(name)
    }
  }

  // MARK: - Delay and gain

  private static let longestDelaySeconds = 60.0

  private static func readDelay(_ cursor: ManifestCursor) -> Double? {
    let expected = ExpectedValue(what: "a time", example: "delay: 20 ms")
    guard let text = cursor.text(expected) else { return nil }
    guard let quantity = Quantity(text), !quantity.unit.isEmpty,
      let seconds = quantity.converted(to: "s")
    else {
      cursor.report(
        .broken(
          rule: "\"\(text.shortened)\" is not a time. Write a number with ms or s, as in"
            + " \"\(expected.example)\"."))
      return nil
    }
    guard seconds > 0, seconds <= longestDelaySeconds else {
      cursor.report(
        .outOfRange(
          found: text, minimum: "above 0 s", maximum: "\(plain(longestDelaySeconds)) s"))
      return nil
    }
    return seconds
  }

  private static func readGain(_ cursor: ManifestCursor) -> Float? {
    let expected = ExpectedValue(what: "a gain in dB", example: "gain: -6 dB")
    guard let text = cursor.text(expected) else { return nil }
    if isSilence(text) { return -.infinity }
    guard let quantity = Quantity(text), ["", "db"].contains(quantity.unit.lowercased()) else {
      cursor.report(
        .notANumber(
          found: text.shortened, expected: "a gain in dB or \"off\"", example: expected.example))
      return nil
    }
    guard gainsDecibels.contains(quantity.value) else {
      cursor.report(
        .outOfRange(
          found: text, minimum: "\(plain(gainsDecibels.lowerBound)) dB (or \"off\")",
          maximum: "\(plain(gainsDecibels.upperBound)) dB"))
      return nil
    }
    return Float(quantity.value)
  }

  fileprivate static func isSilence(_ text: String) -> Bool {
    ["off", "-inf", "-.inf", "-inf db"].contains(text.lowercased())
  }
}

/// A connection gain: `-6 dB`, `-6`, `off`.
package struct ConnectionGain: Equatable {
  /// Minus infinity for silence.
  package let decibels: Float

  /// Parses a text; returns nil if it is not a legal gain. [any]
  package init?(_ text: String) {
    if RigConnectionReader.isSilence(text) {
      decibels = -.infinity
      return
    }
    guard let quantity = Quantity(text), ["", "db"].contains(quantity.unit.lowercased()),
      RigConnectionReader.gainsDecibels.contains(quantity.value)
    else { return nil }
    decibels = Float(quantity.value)
  }

  /// Whether a gain in decibels is below all that can be written. [any]
  static func isSilent(_ decibels: Float) -> Bool {
    Double(decibels) < RigConnectionReader.gainsDecibels.lowerBound
  }

  /// Returns the legal gain of two connections in a row. [any]
  static func sum(_ one: Float, _ other: Float) -> Float {
    one.isFinite && other.isFinite ? nearest(to: Double(one) + Double(other)) : -.infinity
  }

  /// Returns the legal gain that is nearest to a number of decibels. [any]
  package static func nearest(to decibels: Double) -> Float {
    let allowed = RigConnectionReader.gainsDecibels
    return Float(min(max(decibels, allowed.lowerBound), allowed.upperBound))
  }

  /// The end of the message about an invalid gain.
  package static let errorMessage = "is not a gain. Allowed: -200 dB to 40 dB, or off."

  /// Returns the spelling of a gain. [any]
  package static func spelling(of decibels: Float) -> String {
    decibels.isFinite ? "\(plain(decibels)) dB" : "off"
  }
}
