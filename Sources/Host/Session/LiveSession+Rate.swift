// LiveSession+Rate.swift: devices that come back at another rate. SPDX-License-Identifier: MIT

import AudioDriver
import PluginCatalogue
import PluginModel
import Rig

/// The rig's plugins, being made ready for a rate that the devices have come to insist on.
struct RateChange {
  let conditions: Preflight.Conditions
  let plugins: [PluginDescription]
  let preparation: RigLoader
}

extension LiveSession {
  /// Makes the rig anew at the rate that the devices have come to insist on, and goes on with it; to be
  /// called again and again as long as they do.
  ///
  /// Its plugins are tried at that rate on another thread, for as many calls as that takes. Where one
  /// does not take it, the rig stays as it is, and the devices are resampled. [main]
  func followRate() throws {
    guard let rates = driver.rateFollowing, rates.deviceRateHz != nil else { return forgetRate() }
    let stream = driver.stream
    let next: LiveGraph
    do {
      guard let conditions = try conditionsComeThrough(for: stream) else { return }
      var tried = rig
      tried.triedAt = conditions
      next = try LiveGraph(tried, library, for: stream)
    } catch {
      forgetRate()
      rates.keepGraphRate()
      notices.append(
        "The devices insist on \(Int(stream.sampleRateHz)) Hz, which the rig cannot have (\(error));"
          + " they are resampled.")
      return
    }
    forgetRate()
    notices.append(
      "The devices run at \(Int(stream.sampleRateHz)) Hz now. The rig was re-created for this rate."
    )
    driver.stop()
    try goOn(with: next)
  }

  /// Nothing comes of what is on its way any more.
  func forgetRate() {
    rateChange?.preparation.callOff()
    rateChange = nil
  }

  /// What all plugins have come through; nil while they are tried.
  private func conditionsComeThrough(for stream: StreamDescription) throws -> Preflight.Conditions?
  {
    let conditions = Preflight.Conditions(
      sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames)
    guard rig.triesPlugins else { return conditions }
    // An edit meanwhile may have brought other plugins.
    if let rateChange, rateChange.conditions == conditions, rateChange.plugins == rig.plugins {
      guard let outcome = rateChange.preparation.take() else { return nil }
      library.adopt(try outcome.get().traits)
      return conditions
    }
    forgetRate()
    rateChange = RateChange(
      conditions: conditions, plugins: rig.plugins,
      preparation: RigLoader(trying: rig, library, at: conditions))
    return nil
  }
}
