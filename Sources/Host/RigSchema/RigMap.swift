// RigMap.swift: a MIDI control and what it changes. SPDX-License-Identifier: MIT

package import Manifests
import PluginModel

/// A mapping as it was read: a line such as `cc 21 from nanoKONTROL2 -> reverb.mix 0..60 % pickup`.
package struct RigMap: Sendable, Equatable {
  /// The way in which a control changes its target.
  package enum Mode: Hashable, Sendable {
    /// The target follows at once.
    case jump
    /// The target follows after the control has crossed the present value.
    case pickup
    /// The target moves in proportion to the distance that is left, and reaches both ends.
    case scale
    /// Each message is a number of steps.
    case relative(Encoding)
    /// Each press changes between the ends of the range.
    case toggle
    /// The end of the range while pressed, otherwise its start.
    case momentary
  }

  /// How 7 bits hold a number of steps.
  package enum Encoding: String, Hashable, Sendable, CaseIterable {
    /// Two's complement: 1 is +1, 127 is -1.
    case twos
    /// An offset of 64: 65 is +1, 63 is -1.
    case offset
    /// Bit 6 is the sign: 1 is +1, 65 is -1.
    case sign
  }

  /// The relation between the control's position and the value.
  package enum Curve: String, Hashable, Sendable {
    /// Equal steps.
    case linear
    /// Equal ratios.
    case log
  }

  /// The ends of the range as they are written.
  package struct Range: Hashable, Sendable {
    /// The value at the start of the control.
    package var low: String
    /// The value at its end.
    package var high: String
  }

  /// The words that can follow a target.
  static let words = [
    "jump", "pickup", "scale", "relative", "toggle", "momentary", "linear", "log", "steps",
    "feedback",
  ]
  /// The largest number of steps.
  static let stepCounts = 2 ... 16_384

  /// The control.
  package var source: ControlSource
  /// The target: a node and its parameter, `bypass` or `wet`, a connection's gain, or an action.
  package var target: String
  /// The range; nil for that of the target.
  package var range: Range?
  /// The mode; nil for `jump`, or `momentary` for a key.
  package var mode: Mode?
  /// The curve; nil for the target's own.
  package var curve: Curve?
  /// The number of positions; nil for as many as the control has.
  package var steps: Int?
  /// Whether the device receives the value when somebody else has changed it.
  package var hasFeedback = false
  /// The position in the file.
  package var position = SourcePosition.unknown

  /// The action; nil if the target is a value.
  package var action: MapAction? { MapAction(target) }

  /// Parses a line; throws the message about what is wrong. [any]
  package init(_ text: String) throws(RigMapError) {
    guard let arrow = text.firstRange(of: "->") else { throw .noArrow(text) }
    source = try ControlSource(text[..<arrow.lowerBound].description.trimmed)
    let right = String(text[arrow.upperBound...]).trimmed
    guard MapAction(right) == nil else {
      target = right
      return
    }
    let end = Self.endOfTarget(right)
    target = String(right[..<end])
    guard RigLane.split(target) != nil else { throw .target(right) }
    try readTail(right[end...].split(whereSeparator: \.isWhitespace).map(String.init))
  }

  /// Returns the end of `reverb.mix` or `voice -> hall.gain` in a text.
  private static func endOfTarget(_ text: String) -> String.Index {
    var start = text.startIndex
    if let arrow = text.firstRange(of: "->") {
      start = text[arrow.upperBound...].firstIndex { !$0.isWhitespace } ?? text.endIndex
    }
    // Names of nodes may contain blanks: `MDA Ambience.mix`.
    let symbol = text.indices[start...].first { index in
      let next = text.index(after: index)
      return text[index] == "." && next < text.endIndex
        && (text[next].isLetter || text[next] == "_")
    }
    return text[(symbol ?? start)...].firstIndex(where: \.isWhitespace) ?? text.endIndex
  }

  /// Reads the range and the words after it.
  private mutating func readTail(_ tail: [String]) throws(RigMapError) {
    let first = tail.firstIndex(where: Self.words.contains) ?? tail.endIndex
    if first > 0 { range = try Self.range(tail[..<first].joined(separator: " ")) }
    var rest = tail[first...]
    while let word = rest.popFirst() { try read(word, &rest) }
  }

  private static func range(_ text: String) throws(RigMapError) -> Range {
    guard let dots = text.firstRange(of: "..") else {
      let word = text.split(separator: " ").first.map(String.init) ?? text
      throw word.allSatisfy(\.isLetter) ? .word(word) : .range(text)
    }
    let (low, high) = (
      String(text[..<dots.lowerBound]).trimmed, String(text[dots.upperBound...]).trimmed
    )
    guard !low.isEmpty, !high.isEmpty else { throw .range(text) }
    if let word = misspeltWord(after: high) { throw .word(word) }
    return Range(low: low, high: high)
  }

  /// Returns a word after a number and its unit that is meant as one of `words`; nil if there is none.
  private static func misspeltWord(after high: String) -> String? {
    let words = high.split(separator: " ").map(String.init)
    guard words.count > 1, words[0].first.map({ $0.isNumber || $0 == "-" }) ?? false else {
      return nil
    }
    return words.dropFirst().first { word in
      word.count > 3 && nearest(to: word, among: Self.words) != nil
    }
  }

  private mutating func read(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(RigMapError) {
    switch word {
    case "jump": try set(.jump)
    case "pickup": try set(.pickup)
    case "scale": try set(.scale)
    case "toggle": try set(.toggle)
    case "momentary": try set(.momentary)
    case "relative":
      let encoding = rest.first.flatMap(Encoding.init)
      if encoding != nil { rest.removeFirst() }
      try set(.relative(encoding ?? .twos))
    case "linear", "log":
      if let curve, curve.rawValue != word { throw .conflict(curve.rawValue, word) }
      curve = Curve(rawValue: word)
    case "steps":
      let written = rest.popFirst() ?? ""
      guard let count = Int(written), Self.stepCounts ~= count else {
        throw .number(word: word, found: written, range: Self.stepCounts)
      }
      steps = count
    case "feedback": hasFeedback = true
    default: throw .word(word)
    }
  }

  private mutating func set(_ mode: Mode) throws(RigMapError) {
    if let other = self.mode, other != mode { throw .conflict(other.description, mode.description) }
    self.mode = mode
  }
}

extension RigMap.Mode: CustomStringConvertible {
  /// The spelling in a rig.
  package var description: String {
    switch self {
    case .jump: "jump"
    case .pickup: "pickup"
    case .scale: "scale"
    case .relative(let encoding): "relative \(encoding.rawValue)"
    case .toggle: "toggle"
    case .momentary: "momentary"
    }
  }
}

extension RigMap: CustomStringConvertible {
  /// The line in a rig.
  package var description: String {
    var words = ["\(source) ->", target]
    if let range { words.append("\(range.low)..\(range.high)") }
    if let mode { words.append(mode.description) }
    if let curve { words.append(curve.rawValue) }
    if let steps { words.append("steps \(steps)") }
    if hasFeedback { words.append("feedback") }
    return words.joined(separator: " ")
  }
}
