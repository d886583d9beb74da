// ControlDecoder.swift: from MIDI messages to movements of controls. SPDX-License-Identifier: MIT

import RigSchema

/// Decodes the messages of all devices and channels.
///
/// Aftertouch, clock, active sensing and system-exclusive messages are no controls.
struct ControlDecoder {
  private struct Key: Hashable {
    let device: String
    let channel: Int
  }

  private struct ChannelState {
    var controllers: [Int: FineValue] = [:]
    var parameters: [Int: FineValue] = [:]
    var bank = (high: 0, low: 0)
    /// The selected non-registered parameter; its parts are nil if none is selected.
    var selected: (high: Int?, low: Int?) = (nil, nil)
    /// Whether the following data belong to a registered parameter, which is no control.
    var hasRegistered = false

    var number: Int? {
      guard let high = selected.high, let low = selected.low, (high, low) != (127, 127) else {
        return nil
      }
      return high << 7 | low
    }
  }

  private var channels: [Key: ChannelState] = [:]

  /// Returns the movements that a message completes, usually one.
  mutating func decode(_ message: ControllerMessage) -> [ControlEvent] {
    guard message.bytes.count >= 2, message.bytes[0] < 0xf0 else { return [] }
    let status = message.bytes[0]
    let key = Key(device: message.device, channel: Int(status & 0x0f) + 1)
    let first = Int(message.bytes[1] & 0x7f)
    let second = message.bytes.count > 2 ? Int(message.bytes[2] & 0x7f) : 0
    var found: [(ControlSource.Kind, ControlEvent.Value)] = []
    switch status & 0xf0 {
    case 0x80: found = [(.note(first), .key(isPressed: false))]
    case 0x90: found = [(.note(first), .key(isPressed: second > 0))]
    case 0xb0: found = controller(first, second, message.time, &channels[key, default: .init()])
    case 0xc0:
      let bank = channels[key, default: .init()].bank
      found = [(.program(first + 1, bank: bank.high << 7 | bank.low), .trigger)]
    case 0xe0: found = [(.pitchBend, .position(Self.bend(second << 7 | first), raw: nil))]
    default: break
    }
    return found.map { kind, value in
      ControlEvent(
        control: ControlSource(kind, channel: key.channel, device: key.device), value: value,
        time: message.time)
    }
  }

  /// Returns the position of the pitch bend wheel; its centre is exactly one half.
  private static func bend(_ value: Int) -> Double {
    value <= 8_192 ? Double(value) / 16_384 : 0.5 + Double(value - 8_192) / 16_382
  }

  private func controller(
    _ number: Int, _ value: Int, _ time: UInt64, _ state: inout ChannelState
  ) -> [(ControlSource.Kind, ControlEvent.Value)] {
    switch number {
    case 0: state.bank.high = value
    case 32: state.bank.low = value
    case 99: (state.selected.high, state.hasRegistered) = (value, false)
    case 98: (state.selected.low, state.hasRegistered) = (value, false)
    case 100, 101: (state.selected, state.hasRegistered) = ((nil, nil), true)
    case 6, 38, 96, 97:
      if let parameter = state.number {
        return data(number, value, time, &state.parameters[parameter, default: .init()]).map {
          [(.nrpn(parameter), $0)]
        } ?? []
      }
      if state.hasRegistered || state.selected != (nil, nil) { return [] }
    default: break
    }
    if 98 ... 101 ~= number { return [] }
    let plain = (
      ControlSource.Kind.controller(number),
      ControlEvent.Value.position(Double(value) / 127, raw: value)
    )
    guard number < 64 else { return [plain] }
    let base = number & 31
    let fine =
      number < 32
      ? state.controllers[base, default: .init()].receive(high: value, at: time)
      : state.controllers[base, default: .init()].receive(low: value, at: time)
    return [plain] + (fine.map { [(.fineController(base), .position($0, raw: nil))] } ?? [])
  }

  /// Returns what data entry or an increment does to a parameter.
  private func data(
    _ number: Int, _ value: Int, _ time: UInt64, _ parameter: inout FineValue
  ) -> ControlEvent.Value? {
    switch number {
    case 6: .position(parameter.receive(high: value, at: time), raw: nil)
    case 38: parameter.receive(low: value, at: time).map { .position($0, raw: nil) }
    // Most devices send the number of steps; zero is written by some for one.
    case 96: .step(max(1, value))
    default: .step(-max(1, value))
    }
  }
}
