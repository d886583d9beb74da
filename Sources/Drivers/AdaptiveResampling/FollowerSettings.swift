// FollowerSettings.swift: what a resampler between two clocks must be told. SPDX-License-Identifier: MIT

/// A device to be followed: its rate and manners, and those of the master.
package struct FollowerSettings: Equatable, Sendable {
  /// Channels, 1 to 128.
  package var channelCount: Int
  /// The device's nominal rate.
  package var deviceRateHz: Double
  /// The nominal rate of the master, which the graph renders at.
  package var masterRateHz: Double
  /// The master's period: the most frames that are pulled or pushed at once on its side.
  package var blockFrames: Int
  /// The device's buffer: the most frames that are pushed or pulled at once on its side.
  package var deviceBufferFrames: Int
  /// In what steps the device's position is seen to move, in its frames.
  ///
  /// 1 for most cards in a slot, a millisecond for USB, the period for cards that know no better
  /// (ALSA: `snd_pcm_hw_params_is_batch`), 4 ms for the loopback card. Latency is paid for it.
  package var deviceStepFrames: Int
  /// Whether the two clocks differ.
  ///
  /// Where they do not, the ratio stays exactly the nominal one: a
  /// resampler at the edge.
  package var clocksDiffer: Bool
  /// How well is interpolated.
  package var quality: ResamplerQuality

  /// A device to be followed; its buffer and steps are in its own frames. [any]
  package init(
    channelCount: Int, deviceRateHz: Double, masterRateHz: Double, blockFrames: Int,
    deviceBufferFrames: Int, deviceStepFrames: Int = 1, clocksDiffer: Bool = true,
    quality: ResamplerQuality = .medium
  ) {
    self.channelCount = channelCount
    self.deviceRateHz = deviceRateHz
    self.masterRateHz = masterRateHz
    self.blockFrames = blockFrames
    self.deviceBufferFrames = deviceBufferFrames
    self.deviceStepFrames = deviceStepFrames
    self.clocksDiffer = clocksDiffer
    self.quality = quality
  }

  /// How far the device has moved since what was seen of it, in its frames, at the drift that is known.
  /// [render]
  @_noLocks
  func lagFrames(of observation: ClockObservation, _ loop: DelayLockedLoop) -> Double {
    guard let age = observation.ageSeconds else { return Double(deviceStepFrames) / 2 }
    let share = clocksDiffer ? loop.driftPartsPerMillion * 1e-6 : 0
    return age * deviceRateHz * (1 + share)
  }

  /// Throws what is wrong with it.
  func check() throws(AdaptiveResamplingError) {
    guard 1 ... 128 ~= channelCount else { throw .channelCount(channelCount) }
    guard deviceRateHz > 0, masterRateHz > 0, deviceRateHz / masterRateHz <= 200,
      masterRateHz / deviceRateHz <= 200
    else { throw .rates(deviceHz: deviceRateHz, masterHz: masterRateHz) }
    let lengths = [
      ("period", blockFrames), ("buffer", deviceBufferFrames), ("pointer step", deviceStepFrames),
    ]
    for (what, count) in lengths where !(1 ... 1_048_576 ~= count) {
      throw .frames(what: what, count: count)
    }
  }
}

/// How well the resampler interpolates; `docs/internals/adaptive-resampling.md` has what each costs and does.
package enum ResamplerQuality: Equatable, Sendable, CaseIterable {
  /// 47 frames of latency, flat to 18 kHz at 48 kHz: what is used. Library: `SRC_SINC_MEDIUM_QUALITY`.
  case medium
  /// 144 frames of latency, at three times the cost. Library: `SRC_SINC_BEST_QUALITY`.
  case best
}
