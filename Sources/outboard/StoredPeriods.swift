// StoredPeriods.swift: what `tune` stored, where neither rig nor flags say. SPDX-License-Identifier: MIT

import ALSADriver
import AudioDriver
import Console
import Rig

/// The stored periods of the device that a rig runs on.
enum StoredPeriods {
  /// The rate of a run that asks for none, where the device has it.
  private static let usualRateHz = 48_000

  /// By what an entry is found: the playback device is the one that gives the pace.
  static func key(
    outputs: [DeviceRequest], inputs: [DeviceRequest], sampleRateHz: Int?
  ) -> StoredDevice.Key? {
    guard let device = (outputs.first ?? inputs.first)?.device else { return nil }
    let names = CardNames(device: device)
    return StoredDevice.Key(
      card: names.card, name: names.name, sampleRateHz: sampleRateHz ?? usualRateHz)
  }

  /// Gives a rig the stored periods of its device, if it has none; what there is to say of it. [main]
  static func apply(to rig: inout RigDescription, from store: DeviceStore? = .usual) -> [String] {
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
      // What a person wrote there is no reason not to play.
      return error.findings.map(\.description) + ["Saved results are ignored."]
    }
  }
}
