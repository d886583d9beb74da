// DeviceNotices.swift: devices that go and come back, in sentences. SPDX-License-Identifier: MIT

import AudioDriver

/// Notices when a device's state changes, and says so once.
struct DeviceNotices {
  private var known: [DeviceStatus] = []

  /// The devices whose state is another one than at the last call; at the first call, those that do
  /// not run.
  mutating func changes(_ devices: [DeviceStatus]) -> [DeviceStatus] {
    defer { known = devices }
    return devices.enumerated().compactMap { index, device in
      let before = index < known.count ? known[index].state : .running
      return device.state == before ? nil : device
    }
  }

  /// What happened to a device, as one sentence.
  static func sentence(_ device: DeviceStatus) -> String {
    guard device.state != .running else { return "The device \(device.device) is back." }
    return device.reason ?? "The device \(device.device) is \(device.state.rawValue)."
  }
}
