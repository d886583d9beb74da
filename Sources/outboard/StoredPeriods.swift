// StoredPeriods.swift: saved results of `find-period` as defaults. SPDX-License-Identifier: MIT

import ALSADriver
import AudioDriver
import Console
import DeviceSettings
import Manifests
import RigSchema

/// The saved period settings of the device of a rig.
enum StoredPeriods {
  /// The default rate of a session, if the device supports it.
  private static let defaultRateHz = 48_000

  /// The key of a saved result: the playback device, which is the primary device.
  static func key(
    outputs: [DeviceRequest], inputs: [DeviceRequest], sampleRateHz: Int?
  ) -> StoredDevice.Key? {
    guard let device = (outputs.first ?? inputs.first)?.device else { return nil }
    let names = CardNames(device: device)
    return StoredDevice.Key(
      card: names.card, name: names.name, sampleRateHz: sampleRateHz ?? defaultRateHz)
  }

  /// Sets the saved period of the device if the rig has none, and returns messages about it. [main]
  static func apply(to rig: inout RigDescription, from store: DeviceStore? = .defaultStore)
    -> [String]
  {
    guard rig.periodFrames == nil, rig.periodCount == nil, let store,
      let key = key(
        outputs: rig.outputs.map(\.request), inputs: rig.inputs.map(\.request),
        sampleRateHz: rig.sampleRateHz)
    else { return [] }
    do {
      guard let entry = try store.devices().first(where: { $0.key == key }) else { return [] }
      rig.periodFrames = entry.periodFrames
      rig.periodCount = entry.periodCount
      return [
        "\(entry.periodFrames) x \(entry.periodCount) from the saved result of outboard"
          + " find-period for \(key.card)."
      ]
    } catch {
      // An error in the file must not stop the session.
      return error.diagnostics.map(\.description) + ["Saved results are ignored."]
    }
  }
}
