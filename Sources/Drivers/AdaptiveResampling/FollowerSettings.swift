// FollowerSettings.swift: the settings of a resampler between two clocks. SPDX-License-Identifier: MIT

/// The rate and the properties of a follower, and those of the primary device.
package struct FollowerSettings: Equatable, Sendable {
  /// The number of channels, 1 to 128.
  package var channelCount: Int
  /// The device's nominal rate, in Hz.
  package var deviceRateHz: Double
  /// The nominal rate of the primary device, which is the graph's rate, in Hz.
  package var primaryRateHz: Double
  /// The primary device's period: the largest number of frames in a pull or push on its side.
  package var blockFrames: Int
  /// The device's buffer: the largest number of frames in a push or pull on its side.
  package var deviceBufferFrames: Int
  /// The steps in which the device's position moves, in its frames.
  ///
  /// 1 for most PCI cards, a millisecond for USB, the period for cards without a finer position
  /// (ALSA: `snd_pcm_hw_params_is_batch`), 4 ms for the loopback card. Larger steps increase the
  /// latency.
  package var deviceStepFrames: Int
  /// Whether the two clocks differ.
  ///
  /// If not, the ratio is exactly that of the nominal rates.
  package var clocksDiffer: Bool
  /// The quality of the interpolation.
  package var quality: ResamplerQuality

  /// Creates settings; buffer and steps are in frames of the device. [any]
  package init(
    channelCount: Int, deviceRateHz: Double, primaryRateHz: Double, blockFrames: Int,
    deviceBufferFrames: Int, deviceStepFrames: Int = 1, clocksDiffer: Bool = true,
    quality: ResamplerQuality = .medium
  ) {
    self.channelCount = channelCount
    self.deviceRateHz = deviceRateHz
    self.primaryRateHz = primaryRateHz
    self.blockFrames = blockFrames
    self.deviceBufferFrames = deviceBufferFrames
    self.deviceStepFrames = deviceStepFrames
    self.clocksDiffer = clocksDiffer
    self.quality = quality
  }

  /// Returns how far the device has moved since the observation, in its frames, at the known drift.
  /// [render]
  @_noLocks
  func positionLagFrames(of observation: ClockObservation, _ loop: DelayLockedLoop) -> Double {
    guard let age = observation.ageSeconds else { return Double(deviceStepFrames) / 2 }
    let drift = clocksDiffer ? loop.driftPartsPerMillion * 1e-6 : 0
    return age * deviceRateHz * (1 + drift)
  }

  /// Throws if the settings are invalid.
  func check() throws(AdaptiveResamplingError) {
    guard 1 ... 128 ~= channelCount else { throw .channelCount(channelCount) }
    guard deviceRateHz > 0, primaryRateHz > 0, deviceRateHz / primaryRateHz <= 200,
      primaryRateHz / deviceRateHz <= 200
    else { throw .rates(deviceHz: deviceRateHz, masterHz: primaryRateHz) }
    let lengths = [
      ("period", blockFrames), ("buffer", deviceBufferFrames), ("pointer step", deviceStepFrames),
    ]
    for (what, count) in lengths where !(1 ... 1_048_576 ~= count) {
      throw .frames(what: what, count: count)
    }
  }
}

/// The quality of the resampler; `docs/internals/adaptive-resampling.md` has cost and effect of
/// each.
package enum ResamplerQuality: Equatable, Sendable, CaseIterable {
  /// 47 frames of latency, flat to 18 kHz at 48 kHz: the default.
  ///
  /// Library: `SRC_SINC_MEDIUM_QUALITY`.
  case medium
  /// 144 frames of latency, at three times the cost.
  ///
  /// Library: `SRC_SINC_BEST_QUALITY`.
  case best
}
