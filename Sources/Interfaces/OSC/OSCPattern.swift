// OSCPattern.swift: addresses with wildcards. SPDX-License-Identifier: MIT

/// An address pattern: `?`, `*`, `[a-z]`, `[!a-z]` and `{one,two}`, none of which match `/`. [any]
///
/// Source: Open Sound Control 1.0, "OSC Message Dispatching and Pattern Matching".
package struct OSCPattern: Sendable, Equatable {
  private enum Part: Sendable, Equatable {
    case byte(UInt8)
    case any
    case run
    case set([ClosedRange<UInt8>], isNegated: Bool)
    case choice([[UInt8]])
  }

  private let parts: [Part]
  /// The address, if it has no wildcards.
  package let literal: String?

  /// Parses a pattern; nil if a bracket has no end, or a set is empty.
  package init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    var parts: [Part] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "?"): parts.append(.any)
      case UInt8(ascii: "*"): if parts.last != .run { parts.append(.run) }
      case UInt8(ascii: "["):
        guard let set = Self.set(&rest) else { return nil }
        parts.append(set)
      case UInt8(ascii: "{"):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let words = rest[..<end].split(
          separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        parts.append(.choice(words.map(Array.init)))
        rest = rest[(end + 1)...]
      case UInt8(ascii: "]"), UInt8(ascii: "}"): return nil
      default: parts.append(.byte(byte))
      }
    }
    self.parts = parts
    literal = parts.allSatisfy { if case .byte = $0 { true } else { false } } ? text : nil
  }

  private static func set(_ rest: inout ArraySlice<UInt8>) -> Part? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    var members = Array(rest[..<end])
    rest = rest[(end + 1)...]
    let isNegated = members.first == UInt8(ascii: "!")
    if isNegated { members.removeFirst() }
    var (ranges, position): ([ClosedRange<UInt8>], Int) = ([], 0)
    while position < members.count {
      let first = members[position]
      // A minus sign at the end means itself.
      if position + 2 < members.count, members[position + 1] == UInt8(ascii: "-") {
        let last = members[position + 2]
        ranges.append(min(first, last) ... max(first, last))
        position += 3
      } else {
        ranges.append(first ... first)
        position += 1
      }
    }
    return ranges.isEmpty ? nil : .set(ranges, isNegated: isNegated)
  }

  /// Returns whether an address matches.
  ///
  /// The time grows with the product of both lengths, for any pattern of a hostile sender.
  package func matches(_ address: String) -> Bool {
    if let literal { return literal == address }
    let text = Array(address.utf8)
    // Whether the parts so far can end at an index of the text.
    var isReached = [Bool](repeating: false, count: text.count + 1)
    isReached[0] = true
    for part in parts {
      var next = [Bool](repeating: false, count: text.count + 1)
      for start in 0 ... text.count where isReached[start] {
        Self.mark(part, text, start, &next)
      }
      guard next.contains(true) else { return false }
      isReached = next
    }
    return isReached[text.count]
  }

  /// Marks the indices at which a part that begins at `start` can end.
  private static func mark(_ part: Part, _ text: [UInt8], _ start: Int, _ ends: inout [Bool]) {
    let slash = UInt8(ascii: "/")
    switch part {
    case .byte(let byte):
      if start < text.count, text[start] == byte { ends[start + 1] = true }
    case .any:
      if start < text.count, text[start] != slash { ends[start + 1] = true }
    case .run:
      var end = start
      // The indices after a marked one were marked with it.
      while !ends[end] {
        ends[end] = true
        guard end < text.count, text[end] != slash else { return }
        end += 1
      }
    case .set(let ranges, let isNegated):
      guard start < text.count, text[start] != slash else { return }
      if ranges.contains(where: { $0.contains(text[start]) }) != isNegated {
        ends[start + 1] = true
      }
    case .choice(let words):
      for word in words where text[start...].starts(with: word) { ends[start + word.count] = true }
    }
  }
}
