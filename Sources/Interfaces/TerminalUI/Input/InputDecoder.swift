// InputDecoder.swift: from the bytes of a terminal to keys and mouse actions. SPDX-License-Identifier: MIT

/// Decodes UTF-8, control characters and the control sequences of keys, mouse (SGR 1006) and bracketed paste.
///
/// Bytes that mean nothing are skipped. Memory is bounded for any input.
struct InputDecoder {
  /// A longer control sequence is not one.
  private static let longestSequence = 64
  /// The maximum length of pasted text in bytes; the rest is dropped.
  private static let longestPaste = 1 << 16
  private static let pasteEnd = Array("\u{1b}[201~".utf8)
  private static let escape: UInt8 = 0x1b

  private var bytes: [UInt8] = []
  private var pasted: [UInt8]?

  /// How much of the bytes belongs to an event.
  private enum Step {
    case event(InputEvent, Int)
    case skip(Int)
    /// More bytes are needed.
    case wait
  }

  /// Whether bytes wait for the rest of their sequence.
  ///
  /// After a short time without more, call `flush`.
  var isWaiting: Bool { !bytes.isEmpty && pasted == nil }

  /// Takes bytes, and returns the events that they complete.
  mutating func feed(_ more: some Sequence<UInt8>) -> [InputEvent] {
    bytes += more
    return decode(isFinal: false)
  }

  /// Takes what is waiting for what it is: a lone escape is the key.
  mutating func flush() -> [InputEvent] {
    pasted == nil ? decode(isFinal: true) : []
  }

  private mutating func decode(isFinal: Bool) -> [InputEvent] {
    var events: [InputEvent] = []
    var position = 0
    while position < bytes.count || pasted != nil {
      if pasted != nil {
        guard let end = takePaste(from: position) else {
          position = bytes.count
          break
        }
        events.append(.paste(String(decoding: pasted ?? [], as: UTF8.self)))
        pasted = nil
        position = end
        continue
      }
      let step = next(bytes[position...], isFinal: isFinal)
      if case .wait = step { break }
      if case .event(let event, let count) = step {
        events.append(event)
        position += count
      } else if case .skip(let count) = step {
        position += count
      }
    }
    bytes.removeFirst(min(position, bytes.count))
    return events
  }

  // MARK: - Paste

  /// Collects pasted bytes; returns the position after the end mark, nil if it is not there yet.
  private mutating func takePaste(from start: Int) -> Int? {
    let pastedBytes = (pasted ?? []) + bytes[start...]
    guard let end = pastedBytes.firstRange(of: Self.pasteEnd) else {
      // The end mark may be cut, so the last bytes stay even above the limit.
      let kept = Self.pasteEnd.count
      pasted =
        pastedBytes.count > Self.longestPaste + kept
        ? Array(pastedBytes.prefix(Self.longestPaste) + pastedBytes.suffix(kept)) : pastedBytes
      return nil
    }
    let rest = pastedBytes.count - end.upperBound
    pasted = Array(pastedBytes[..<end.lowerBound])
    return bytes.count - rest
  }

  // MARK: - Keys

  private mutating func next(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Step {
    guard let first = bytes.first else { return .wait }
    if first == Self.escape { return afterEscape(bytes, isFinal: isFinal) }
    return Self.plain(bytes, [], isFinal: isFinal)
  }

  private mutating func afterEscape(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Step {
    let escape = Step.event(.key(.escape, []), 1)
    guard let second = bytes.dropFirst().first else { return isFinal ? escape : .wait }
    switch second {
    case UInt8(ascii: "["): return controlSequence(bytes, isFinal: isFinal)
    case UInt8(ascii: "O"):
      guard let third = bytes.dropFirst(2).first else {
        return isFinal ? .event(.key(.character("O"), .alt), 2) : .wait
      }
      return Self.letterKeys[third].map { .event(.key($0, []), 3) } ?? .skip(3)
    case Self.escape: return escape
    default:
      // A key with Alt is sent as escape and the key.
      switch Self.plain(bytes.dropFirst(), .alt, isFinal: isFinal) {
      case .event(let event, let count): return .event(event, count + 1)
      case .skip(let count): return .skip(count + 1)
      case .wait: return .wait
      }
    }
  }

  /// A control character, or a character in UTF-8.
  private static func plain(
    _ bytes: ArraySlice<UInt8>, _ modifiers: InputEvent.Modifiers, isFinal: Bool
  ) -> Step {
    guard let first = bytes.first else { return .wait }
    switch first {
    case 0x0d, 0x0a: return .event(.key(.enter, modifiers), 1)
    case 0x09: return .event(.key(.tab, modifiers), 1)
    case 0x7f, 0x08: return .event(.key(.backspace, modifiers), 1)
    case 0x01 ... 0x1a:
      let letter = Character(UnicodeScalar(first + 0x60))
      return .event(.key(.character(letter), modifiers.union(.control)), 1)
    case 0x00 ..< 0x20: return .skip(1)
    case 0x20 ..< 0x7f:
      return .event(.key(.character(Character(UnicodeScalar(first))), modifiers), 1)
    default: return encoded(bytes, modifiers, isFinal: isFinal)
    }
  }

  private static func encoded(
    _ bytes: ArraySlice<UInt8>, _ modifiers: InputEvent.Modifiers, isFinal: Bool
  ) -> Step {
    let length = bytes.first.map { $0 >= 0xf0 ? 4 : $0 >= 0xe0 ? 3 : $0 >= 0xc2 ? 2 : 1 } ?? 1
    guard length > 1 else { return .skip(1) }
    let whole = bytes.prefix(length)
    guard let text = String(validating: whole, as: UTF8.self), let character = text.first else {
      let isCut =
        whole.count < length && whole.dropFirst().allSatisfy { 0x80 ..< 0xc0 ~= $0 }
      return isCut && !isFinal ? .wait : .skip(1)
    }
    // The control characters of Latin-1 are no text.
    guard !(0x80 ..< 0xa0 ~= character.unicodeScalars.first?.value ?? 0) else {
      return .skip(length)
    }
    return .event(.key(.character(character), modifiers), length)
  }

  // MARK: - Control sequences

  private mutating func controlSequence(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Step {
    let body = bytes.dropFirst(2)
    // The Linux console sends the first function keys with a second bracket.
    if body.first == UInt8(ascii: "[") {
      guard let letter = body.dropFirst().first else { return isFinal ? .skip(3) : .wait }
      guard 0x41 ... 0x45 ~= letter else { return .skip(4) }
      return .event(.key(.function(Int(letter) - 0x40), []), 4)
    }
    guard let end = body.firstIndex(where: { !(0x20 ..< 0x40 ~= $0) }) else {
      if body.count > Self.longestSequence { return .skip(bytes.count) }
      guard isFinal else { return .wait }
      return body.isEmpty ? .event(.key(.character("["), .alt), 2) : .skip(bytes.count)
    }
    let count = end - bytes.startIndex + 1
    let final = body[end]
    // A control character ends the sequence, and means itself.
    guard 0x40 ..< 0x7f ~= final else { return .skip(count - 1) }
    // The old protocol of the mouse has three bytes after the sequence.
    if final == UInt8(ascii: "M"), end == body.startIndex {
      return bytes.count < count + 3 && !isFinal ? .wait : .skip(min(bytes.count, count + 3))
    }
    if Array(body[..<end]) == Array("200".utf8), final == UInt8(ascii: "~") {
      pasted = []
      return .skip(count)
    }
    return Self.event(body[..<end], final).map { .event($0, count) } ?? .skip(count)
  }

  /// The event of a complete control sequence; nil if it has no meaning here.
  private static func event(_ body: ArraySlice<UInt8>, _ final: UInt8) -> InputEvent? {
    if body.first == UInt8(ascii: "<") { return mouse(numbers(body.dropFirst()), final) }
    guard body.allSatisfy({ 0x30 ..< 0x3c ~= $0 }) else { return nil }
    let numbers = numbers(body)
    let modifierBits = numbers.count > 1 ? max(0, numbers[1] - 1) : 0
    let modifiers = InputEvent.Modifiers(rawValue: modifierBits & 7)
    if final == UInt8(ascii: "Z") { return .key(.backTab, []) }
    if final == UInt8(ascii: "~") {
      return numbers.first.flatMap { numberKeys[$0] }.map { .key($0, modifiers) }
    }
    return letterKeys[final].map { .key($0, modifiers) }
  }

  private static func numbers(_ body: ArraySlice<UInt8>) -> [Int] {
    body.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { $0.isEmpty ? 0 : Int(String(decoding: $0, as: UTF8.self)) ?? -1 }
  }

  private static func mouse(_ numbers: [Int], _ final: UInt8) -> InputEvent? {
    guard numbers.count == 3, 0 ..< 256 ~= numbers[0], 1 ..< 100_000 ~= numbers[1],
      1 ..< 100_000 ~= numbers[2], final == UInt8(ascii: "M") || final == UInt8(ascii: "m")
    else { return nil }
    let code = numbers[0]
    let action: InputEvent.Mouse.Action
    if code & 64 != 0 {
      guard code & 3 < 2, final == UInt8(ascii: "M") else { return nil }
      action = .wheel(code & 1 == 0 ? 1 : -1)
    } else if final == UInt8(ascii: "m") {
      action = .release
    } else {
      action = code & 32 != 0 ? .drag : .press(code & 3)
    }
    var modifiers: InputEvent.Modifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    return .mouse(
      .init(action: action, row: numbers[2] - 1, column: numbers[1] - 1, modifiers: modifiers))
  }

  /// Keys by the last letter of their sequence.
  private static let letterKeys: [UInt8: InputEvent.Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2),
    UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4), UInt8(ascii: "M"): .enter,
  ]

  /// Keys by the number of their sequence.
  private static let numberKeys: [Int: InputEvent.Key] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
    23: .function(11), 24: .function(12),
  ]
}
