// DeviceChangeReporter.swift: messages about lost and reconnected devices. SPDX-License-Identifier: MIT

import AudioDriver
import PipeIO

/// Reports each change of a device state once.
struct DeviceChangeReporter {
  private var known: [DeviceStatus] = []

  /// Returns the devices whose message changed since the last call.
  ///
  /// The first call returns the devices that are not running or use a fallback.
  mutating func changes(_ devices: [DeviceStatus]) -> [Change] {
    defer { known = devices }
    return devices.enumerated().compactMap { index, device in
      var before = DeviceStatus(device: device.device, isInput: device.isInput)
      before.name = device.name
      if index < known.count { before = known[index] }
      let change = Change(device: device, before: before)
      return change.isTold ? change : nil
    }
  }

  /// A device and its previous state.
  struct Change {
    let device: DeviceStatus
    let before: DeviceStatus

    fileprivate var isTold: Bool {
      guard device.state == before.state else { return true }
      guard device.state == .running else { return false }
      return device.fallbackName != before.fallbackName || isRenamed
    }

    /// Whether the name now opens another card, as `default` can, without a reported loss.
    private var isRenamed: Bool { device.name != before.name && !before.name.isEmpty }

    /// The change as a message.
    var sentence: String {
      guard device.state == .running else {
        return device.reason ?? "The device \(device.device) is \(device.state.rawValue)."
      }
      if device.device == StandardStream.name {
        return device.isInput ? "Standard input resumed." : "Standard output resumed."
      }
      if let fallback = device.fallbackName {
        return "Using fallback device \(fallback) for \(device.device)."
      }
      if before.state == .running, before.fallbackName == nil, isRenamed {
        return "The device \(device.device) now opens \(device.name)."
      }
      return "The device \(device.device) was"
        + " reconnected\(device.currentName.map { " as \($0)" } ?? "")."
    }
  }
}

/// The device or stream was lost during the session.
struct DeviceFailure: Error, CustomStringConvertible {
  let description: String
  /// Whether the device was standard input or output.
  let isOfStream: Bool

  /// The exit status of the program.
  var status: Failure.Status { isOfStream ? .failure : .deviceError }
}
