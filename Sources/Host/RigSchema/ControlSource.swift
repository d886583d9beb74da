// ControlSource.swift: a control of a MIDI device. SPDX-License-Identifier: MIT

/// A knob, fader, key or button, by the messages that it sends.
package struct ControlSource: Hashable, Sendable {
  /// The kind of message, with its number.
  package enum Kind: Hashable, Sendable {
    /// A controller of 7 bits, 0 to 127.
    case controller(Int)
    /// A controller of 14 bits, 0 to 31; its low bits have the number plus 32.
    case fineController(Int)
    /// A non-registered parameter, 0 to 16383.
    case nrpn(Int)
    /// The pitch bend wheel.
    case pitchBend
    /// A key, 0 to 127.
    case note(Int)
    /// A program change, 1 to 128; with a bank, 0 to 16383, only if that was selected last.
    case program(Int, bank: Int?)
  }

  /// The kind of message.
  package var kind: Kind
  /// The channel, 1 to 16; nil for any.
  package var channel: Int?
  /// The name of the device; nil for any.
  package var device: String?

  /// Creates a control.
  package init(_ kind: Kind, channel: Int? = nil, device: String? = nil) {
    (self.kind, self.channel, self.device) = (kind, channel, device)
  }
}

extension ControlSource: CustomStringConvertible {
  /// The spelling in a rig: `cc 21 channel 3 from nanoKONTROL2`.
  package var description: String {
    var text =
      switch kind {
      case .controller(let number): "cc \(number)"
      case .fineController(let number): "cc14 \(number)"
      case .nrpn(let number): "nrpn \(number)"
      case .pitchBend: "bend"
      case .note(let number): "note \(number)"
      case .program(let number, let bank): "program \(number)" + (bank.map { " bank \($0)" } ?? "")
      }
    if let channel { text += " channel \(channel)" }
    if let device { text += " from \(device)" }
    return text
  }

  /// Parses a control; throws the message about what is wrong. [any]
  package init(_ text: String) throws(RigMapError) {
    var words = text.split(whereSeparator: { $0.isWhitespace }).map { String($0) }
    if let index = words.firstIndex(of: "from") {
      let name = words[(index + 1)...].joined(separator: " ")
      guard !name.isEmpty else { throw .noDevice }
      device = name
      words.removeSubrange(index...)
    }
    channel = try Self.take("channel", 1 ... 16, from: &words)
    let bank = try Self.take("bank", 0 ... 16_383, from: &words)
    guard let kind = Self.kind(words, bank) else { throw .source(text) }
    self.kind = kind
  }

  /// Removes a word and the number after it.
  private static func take(
    _ word: String, _ range: ClosedRange<Int>, from words: inout [String]
  ) throws(RigMapError) -> Int? {
    guard let index = words.firstIndex(of: word) else { return nil }
    let written = index + 1 < words.count ? words[index + 1] : ""
    guard let number = Int(written), range ~= number else {
      throw .number(word: word, found: written, range: range)
    }
    words.removeSubrange(index ... index + 1)
    return number
  }

  private static func kind(_ words: [String], _ bank: Int?) -> Kind? {
    if words == ["bend"], bank == nil { return .pitchBend }
    guard words.count == 2, let number = Int(words[1]) else { return nil }
    func checked(_ range: ClosedRange<Int>, _ kind: Kind) -> Kind? {
      range ~= number ? kind : nil
    }
    if words[0] == "program" { return checked(1 ... 128, .program(number, bank: bank)) }
    guard bank == nil else { return nil }
    switch words[0] {
    case "cc": return checked(0 ... 127, .controller(number))
    case "cc14": return checked(0 ... 31, .fineController(number))
    case "nrpn": return checked(0 ... 16_383, .nrpn(number))
    case "note": return checked(0 ... 127, .note(number))
    default: return nil
    }
  }
}
