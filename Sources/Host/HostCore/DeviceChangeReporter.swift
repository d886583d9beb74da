// DeviceChangeReporter.swift: devices that go and come back. SPDX-License-Identifier: MIT

package import AudioDriver

/// Notices when a device's state changes, and says so once.
package struct DeviceChangeReporter {
  private var known: [DeviceStatus] = []

  /// Knows of no device yet.
  package init() {}

  /// The devices that have changed since the last call; at the first call, those
  /// that do not run, or not themselves.
  package mutating func changes(_ devices: [DeviceStatus]) -> [Change] {
    defer { known = devices }
    return devices.enumerated().compactMap { index, device in
      var before = DeviceStatus(device: device.device, isInput: device.isInput)
      before.name = device.name
      if index < known.count { before = known[index] }
      let change = Change(device: device, before: before)
      return change.isWorthReporting ? change : nil
    }
  }

  /// A device, and how it was.
  package struct Change {
    /// How it is.
    package let device: DeviceStatus
    /// How it was.
    package let before: DeviceStatus

    fileprivate var isWorthReporting: Bool {
      guard device.state == before.state else { return true }
      guard device.state == .running else { return false }
      return device.fallbackName != before.fallbackName || isRenamed
    }

    /// Whether its name leads elsewhere, as `default` may, though it was not lost.
    package var isRenamed: Bool { device.name != before.name && !before.name.isEmpty }
  }
}
