// DeviceChangeReporter.swift: changes of device states. SPDX-License-Identifier: MIT

package import AudioDriver

/// Reports each change of a device's state once.
package struct DeviceChangeReporter {
  private var known: [DeviceStatus] = []

  /// Creates a reporter that knows no device yet.
  package init() {}

  /// Returns the devices whose state changed since the last call.
  ///
  /// The first call returns the devices that do not run, and those that a fallback device replaces.
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

  /// A device with its previous state.
  package struct Change {
    /// The current state.
    package let device: DeviceStatus
    /// The previous state.
    package let before: DeviceStatus

    fileprivate var isWorthReporting: Bool {
      guard device.state == before.state else { return true }
      guard device.state == .running else { return false }
      return device.fallbackName != before.fallbackName || isRenamed
    }

    /// Whether the name resolves to another device, as `default` may, although the device was not
    /// lost.
    package var isRenamed: Bool { device.name != before.name && !before.name.isEmpty }
  }
}
