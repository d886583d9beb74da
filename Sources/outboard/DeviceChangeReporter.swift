// DeviceChangeReporter.swift: devices that go and come back, in sentences. SPDX-License-Identifier: MIT

import AudioDriver
import PipeIO

/// Notices when a device's state changes, and says so once.
struct DeviceChangeReporter {
  private var known: [DeviceStatus] = []

  /// The devices of which something else is to be told than at the last call; at the first call, those
  /// that do not run, or not themselves.
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

  /// A device, and how it was.
  struct Change {
    let device: DeviceStatus
    let before: DeviceStatus

    fileprivate var isTold: Bool {
      guard device.state == before.state else { return true }
      guard device.state == .running else { return false }
      return device.fallbackName != before.fallbackName || isRenamed
    }

    /// Whether its name leads elsewhere, as `default` may, which no loss has told of.
    private var isRenamed: Bool { device.name != before.name && !before.name.isEmpty }

    /// What happened, as one sentence.
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

/// The device, or a stream, was lost on the way.
struct DeviceFailure: Error, CustomStringConvertible {
  let description: String
  /// Whether it was standard input or output.
  let isOfStream: Bool

  /// With which the program ends.
  var status: Failure.Status { isOfStream ? .failure : .deviceError }
}
