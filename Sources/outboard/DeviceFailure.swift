// DeviceFailure.swift: messages about devices that are lost and reconnected. SPDX-License-Identifier: MIT

import AudioDriver
import ErrorModel
import HostCore
import PipeIO

extension DeviceChangeReporter.Change {
  /// The message.
  var message: String {
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

/// A device or stream that was lost during a session.
struct DeviceFailure {
  let description: String
  /// Whether standard input or output was lost, not a device.
  let isOfStream: Bool
}

extension DeviceFailure: HostError {
  /// A stream is the work; a device is the device.
  var kind: ErrorKind { isOfStream ? .failure : .device }
}
