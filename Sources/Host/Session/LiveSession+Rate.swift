// LiveSession+Rate.swift: devices that return with another sample rate. SPDX-License-Identifier:
// MIT

import AudioDriver
import PluginCatalogue
import PluginLoading
import PluginModel

/// The preflight of the rig's plugins at a rate that the devices require.
struct RateChange {
  let conditions: Preflight.Conditions
  let plugins: [PluginDescription]
  let preparation: RigLoader
}

extension LiveSession {
  /// Re-creates the rig at the sample rate that the devices require.
  ///
  /// Called repeatedly while they require it. [main]
  ///
  /// The plugins pass preflight at that rate on another thread, during any number of calls. If one
  /// fails, the rig is unchanged, and the devices are resampled.
  func applyDeviceRate() throws {
    guard let rates = driver.rateFollowing, rates.deviceRateHz != nil else {
      return resetDeviceRate()
    }
    let stream = driver.stream
    let next: LiveGraph
    do {
      guard let conditions = try finishedPreflight(for: stream) else { return }
      var tried = rig
      tried.preflightConditions = conditions
      next = try LiveGraph(tried, library, for: stream)
    } catch {
      resetDeviceRate()
      rates.keepGraphRate()
      notices.append(
        "The devices run at \(Int(stream.sampleRateHz)) Hz, which the rig cannot use (\(error))."
          + " Their sound is resampled.")
      return
    }
    resetDeviceRate()
    notices.append(
      "The devices run at \(Int(stream.sampleRateHz)) Hz now. The rig was re-created for this rate."
    )
    driver.stop()
    try restart(with: next)
  }

  /// Cancels a pending rate change.
  func resetDeviceRate() {
    rateChange?.preparation.cancel()
    rateChange = nil
  }

  /// Returns the conditions that all plugins have passed; nil while preflight is running.
  private func finishedPreflight(for stream: StreamDescription) throws -> Preflight.Conditions? {
    let conditions = Preflight.Conditions(
      sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames)
    guard rig.runsPreflight else { return conditions }
    // An edit meanwhile may have added other plugins.
    if let rateChange, rateChange.conditions == conditions, rateChange.plugins == rig.plugins {
      guard let outcome = rateChange.preparation.take() else { return nil }
      library.register(try outcome.get().traits)
      return conditions
    }
    resetDeviceRate()
    rateChange = RateChange(
      conditions: conditions, plugins: rig.plugins,
      preparation: RigLoader(trying: rig, library, at: conditions))
    return nil
  }
}
