// ControlLearner.swift: finds the control that a user moves. SPDX-License-Identifier: MIT

import RigSchema

/// Watches controls until one has moved, then decides its kind.
///
/// The first control that moves wins. A single message is no movement, because devices repeat values unasked.
struct ControlLearner {
  /// The time in which the low bits of a 14-bit control must arrive, in ns.
  static let pairNanoseconds: UInt64 = 100_000_000
  /// The smallest movement of a knob, of 127.
  private static let minimumMovement = 2
  /// Equal messages in a row that show an encoder.
  private static let encoderRepeats = 3

  /// Whether the target needs only presses.
  let isForButton: Bool
  /// The device; nil for any.
  let device: String?
  private var histories: [ControlSource: [Int]] = [:]
  private var winner: (control: ControlSource, time: UInt64)?
  /// The encoding of the control, if it is an encoder.
  private(set) var encoding: RigMap.Encoding?

  init(isForButton: Bool, device: String?) {
    (self.isForButton, self.device) = (isForButton, device)
  }

  /// Notes a movement.
  mutating func observe(_ event: ControlEvent) {
    if let device, !ControlSource(event.control.kind, device: device).matches(event) { return }
    switch event.control.kind {
    // Bank select, and messages for the whole channel.
    case .controller(0), .controller(32), .controller(120...): return
    case .fineController(0): return
    default: break
    }
    let raw = Self.raw(event)
    histories[event.control, default: []].append(raw)
    guard winner == nil, hasMoved(event) else { return }
    winner = (event.control, event.time)
  }

  /// Returns the control once it is decided; nil before.
  func result(at now: UInt64) -> ControlSource? {
    guard let winner, now >= winner.time &+ Self.pairNanoseconds else { return nil }
    var control = winner.control
    if case .program(let number, 0) = control.kind { control.kind = .program(number, bank: nil) }
    guard case .controller(let number) = control.kind, 1 ... 63 ~= number, encoding == nil else {
      return control
    }
    // Both halves are seen only if the control has 14 bits.
    let other = ControlSource(
      .controller(number ^ 32), channel: control.channel, device: control.device)
    if histories[other] != nil {
      control.kind = .fineController(number & 31)
    }
    return control
  }

  private static func raw(_ event: ControlEvent) -> Int {
    switch event.value {
    case .position(let position, let raw): raw ?? Int((position * 127).rounded())
    case .step(let count): count
    case .key(let isPressed): isPressed ? 127 : 0
    case .trigger: 127
    }
  }

  private mutating func hasMoved(_ event: ControlEvent) -> Bool {
    switch event.value {
    case .key(let isPressed): return isPressed
    case .trigger, .step: return true
    case .position: break
    }
    // The plain controller decides for both.
    if case .fineController = event.control.kind { return false }
    let values = histories[event.control] ?? []
    if isForButton, values.last ?? 0 >= 64 { return true }
    guard let first = values.first, let lowest = values.min(), let highest = values.max() else {
      return false
    }
    if values.count >= Self.encoderRepeats, let found = Self.encoding(values) {
      encoding = found
      return true
    }
    // Low bits of a 14-bit control jitter.
    if case .controller(let number) = event.control.kind, 32 ... 63 ~= number,
      histories[
        ControlSource(
          .controller(number - 32), channel: event.control.channel, device: event.control.device)]
        != nil
    {
      return highest - lowest > 32
    }
    if Self.encoding([first]) != nil, Self.encoding(values) != nil,
      values.count < Self.encoderRepeats
    {
      return false
    }
    return highest - lowest >= Self.minimumMovement
  }

  /// Returns the encoding of an encoder that sends these values; nil if a knob sends them.
  private static func encoding(_ values: [Int]) -> RigMap.Encoding? {
    let repeats = zip(values, values.dropFirst()).filter { $0 == $1 }.count
    guard repeats >= values.count / 2 else { return nil }
    if values.allSatisfy({ 1 ... 7 ~= $0 || 121 ... 127 ~= $0 }) { return .twos }
    if values.allSatisfy({ 57 ... 71 ~= $0 && $0 != 64 }) { return .offset }
    return nil
  }
}
