// ControlEvent.swift: a movement of a control. SPDX-License-Identifier: MIT

import RigSchema

/// A movement of a control, decoded from one or several messages.
struct ControlEvent: Equatable {
  /// The movement of a control.
  enum Value: Equatable {
    /// The control is at a position, 0 to 1; `raw` is the value of a 7-bit controller.
    case position(Double, raw: Int?)
    /// The control moved by a number of steps.
    case step(Int)
    /// A key was pressed or released.
    case key(isPressed: Bool)
    /// A program was selected.
    case trigger
  }

  /// The control, with its channel and device.
  var control: ControlSource
  /// The movement.
  var value: Value
  /// When, CLOCK_MONOTONIC in nanoseconds.
  var time: UInt64
}

extension ControlSource {
  /// Whether a mapping of this control applies to an event.
  func matches(_ event: ControlEvent) -> Bool {
    let other = event.control
    if let channel, channel != other.channel { return false }
    if let device, !Self.isDevice(device, other.device ?? "") { return false }
    if case .program(let number, nil) = kind, case .program(number, _) = other.kind { return true }
    return kind == other.kind
  }

  /// Whether a name in a rig means a device: its name, that of a port, or a part of them.
  private static func isDevice(_ name: String, _ device: String) -> Bool {
    let (name, device) = (name.lowercased(), device.lowercased())
    return name == device || device.contains(name)
  }
}
