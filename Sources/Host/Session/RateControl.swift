// RateControl.swift: devices that return with another sample rate. SPDX-License-Identifier: MIT

import AudioDriver
import ErrorModel
import PluginCatalogue
import PluginLoading
import PluginModel

struct RateChange {
  let conditions: Preflight.Conditions
  let plugins: [PluginDescription]
  let preparation: RigLoader
}

/// Follows the sample rate of the devices. [main]
final class RateControl {
  private let active: ActiveRig
  private let loop: RenderLoop
  /// The pending change; nil if there is none.
  private(set) var change: RateChange?

  private var rig: PreparedRig { active.rig }
  private var library: PluginLibrary { active.library }
  private var notices: NoticeQueue { active.notices }

  init(_ active: ActiveRig, _ loop: RenderLoop) { (self.active, self.loop) = (active, loop) }

  /// Re-creates the rig at the sample rate that the devices require.
  ///
  /// Called repeatedly while they require it.
  ///
  /// The plugins pass preflight at that rate on another thread, during any number of calls. If one
  /// fails, the rig is unchanged, and the devices are resampled.
  func follow() throws {
    guard let rates = loop.driver.rateFollowing, rates.deviceRateHz != nil else {
      return reset()
    }
    let stream = active.stream
    let next: LiveGraph
    do {
      guard let conditions = try finishedPreflight(for: stream) else { return }
      var tried = rig
      tried.preflightConditions = conditions
      next = try LiveGraph(tried, library, for: stream)
    } catch {
      reset()
      rates.keepGraphRate()
      notices.append(.rateNotFollowed(stream.sampleRateHz, error))
      return
    }
    reset()
    notices.append(.rateFollowed(stream.sampleRateHz))
    loop.driver.stop()
    try loop.restart(with: next)
  }

  /// Cancels a pending rate change.
  func reset() {
    change?.preparation.cancel()
    change = nil
  }

  /// Returns the conditions that all plugins have passed; nil while preflight is running.
  private func finishedPreflight(for stream: StreamDescription) throws -> Preflight.Conditions? {
    let conditions = Preflight.Conditions(
      sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames)
    guard rig.runsPreflight else { return conditions }
    // An edit meanwhile may have added other plugins.
    if let change, change.conditions == conditions, change.plugins == rig.plugins {
      guard let outcome = change.preparation.take() else { return nil }
      library.register(try outcome.get().traits)
      return conditions
    }
    reset()
    change = RateChange(
      conditions: conditions, plugins: rig.plugins,
      preparation: RigLoader(trying: rig, library, at: conditions))
    return nil
  }
}
