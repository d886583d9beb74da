// HardwareParameters.swift: what a device can still be set to, narrowed choice by choice. SPDX-License-Identifier: MIT

import AudioDriver
import CALSA

/// The settings that a PCM still allows, after those already chosen (`snd_pcm_hw_params_t`).
///
/// Each `choose` narrows the space and returns whether the choice was there; `offers` only asks.
/// A class, as the spaces of two directions are narrowed side by side in a list.
final class HardwareParameters {
  /// What is narrowed.
  let pcm: PCM
  private let parameters: OpaquePointer

  /// Rates worth naming when a device has no range of them, in Hz.
  static let usualRates = [
    5_512, 8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400,
    192_000, 352_800, 384_000,
  ]

  /// Everything the device can do; with `converting` also rates that a plug-in makes up. [main]
  init(_ pcm: PCM, converting: Bool = false) throws(ALSADriverError) {
    var leastPeriods: UInt32 = 2
    var parameters: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&parameters) >= 0, let parameters else {
      throw .refused(device: pcm.device, step: "report its settings", reason: "no memory")
    }
    let status = snd_pcm_hw_params_any(pcm.handle, parameters)
    guard status >= 0 else {
      snd_pcm_hw_params_free(parameters)
      throw .refused(
        device: pcm.device, step: "report its settings", reason: PCM.message(status))
    }
    snd_pcm_hw_params_set_rate_resample(pcm.handle, parameters, converting ? 1 : 0)
    // Sound can be moved only if at least two periods lie in the buffer.
    snd_pcm_hw_params_set_periods_min(pcm.handle, parameters, &leastPeriods, nil)
    self.pcm = pcm
    self.parameters = parameters
  }

  deinit {
    snd_pcm_hw_params_free(parameters)
  }

  // MARK: - Access

  /// Takes the first of these ways of moving samples that the device has.
  ///
  /// What captures from no clock may leave memory as it finds it, so it gets memory that can be cleared first.
  func chooseAccess(among accesses: [AccessMode]) -> AccessMode? {
    let prefersCopies = pcm.direction == .capture && pcm.lacksClock
    let ordered =
      prefersCopies ? accesses.filter { !$0.isMapped } + accesses.filter(\.isMapped) : accesses
    return ordered.first {
      snd_pcm_hw_params_set_access(pcm.handle, parameters, $0.inALSA) >= 0
    }
  }

  // MARK: - Format

  /// Takes a format.
  func choose(_ format: DeviceFormat) -> Bool {
    snd_pcm_hw_params_set_format(pcm.handle, parameters, format.inALSA) >= 0
  }

  /// All formats, also those that the driver does not convert, in the driver's or ALSA's spelling.
  var formats: [String] {
    (0 ... SND_PCM_FORMAT_LAST.rawValue).compactMap { number in
      let format = snd_pcm_format_t(rawValue: number)
      guard snd_pcm_hw_params_test_format(pcm.handle, parameters, format) >= 0 else { return nil }
      if let known = DeviceFormat.allCases.first(where: { $0.inALSA == format }) {
        return known.rawValue
      }
      return snd_pcm_format_name(format).map { String(cString: $0) }
    }
  }

  // MARK: - Channels

  /// The least and the greatest number of channels.
  var channels: ClosedRange<Int> {
    var least: UInt32 = 0
    var most: UInt32 = 0
    snd_pcm_hw_params_get_channels_min(parameters, &least)
    snd_pcm_hw_params_get_channels_max(parameters, &most)
    return Int(least) ... Int(max(least, most))
  }

  /// Takes the number of channels next to `count`, and returns it.
  func chooseChannels(near count: Int) -> Int? {
    var channels = UInt32(clamping: count)
    let status = snd_pcm_hw_params_set_channels_near(pcm.handle, parameters, &channels)
    return status >= 0 ? Int(channels) : nil
  }

  // MARK: - Rate

  /// Whether a rate in Hz can still be had, exactly.
  func offers(rateHz: Int) -> Bool {
    snd_pcm_hw_params_test_rate(pcm.handle, parameters, UInt32(clamping: rateHz), 0) >= 0
  }

  /// Takes a rate.
  func choose(rateHz: Int) -> Bool {
    snd_pcm_hw_params_set_rate(pcm.handle, parameters, UInt32(clamping: rateHz), 0) >= 0
  }

  /// The least and the greatest rate, in Hz.
  var rates: ClosedRange<Int> {
    var least: UInt32 = 0
    var most: UInt32 = 0
    snd_pcm_hw_params_get_rate_min(parameters, &least, nil)
    snd_pcm_hw_params_get_rate_max(parameters, &most, nil)
    return Int(least) ... Int(max(least, most))
  }

  /// The supported usual rates and the ends of the range, in Hz, ascending.
  var someRates: [Int] {
    let range = rates
    let usual = Self.usualRates.filter { range.contains($0) && offers(rateHz: $0) }
    return Set(usual + [range.lowerBound, range.upperBound].filter { offers(rateHz: $0) }).sorted()
  }

  /// The rates in words: `8000 to 192000`, or `44100, 48000 and 96000`.
  var ratesInWords: String {
    let range = rates
    let isContinuous =
      range.lowerBound < range.upperBound
      && Self.usualRates.filter(range.contains).allSatisfy { offers(rateHz: $0) }
    return isContinuous
      ? "\(range.lowerBound) to \(range.upperBound)"
      : ALSADriverError.list(someRates.map(String.init), "and")
  }

  // MARK: - Period and buffer

  /// The least and the greatest period, in frames.
  var periods: ClosedRange<Int> {
    var least: snd_pcm_uframes_t = 0
    var most: snd_pcm_uframes_t = 0
    snd_pcm_hw_params_get_period_size_min(parameters, &least, nil)
    snd_pcm_hw_params_get_period_size_max(parameters, &most, nil)
    // Plug-ins have no greatest one; no use beyond some seconds.
    let bounded = { (frames: snd_pcm_uframes_t) in Int(min(frames, 1 << 20)) }
    return bounded(least) ... bounded(max(least, most))
  }

  /// Returns whether a period of this many frames is supported and fits twice in the buffer.
  func offers(periodFrames: Int) -> Bool {
    snd_pcm_hw_params_test_period_size(
      pcm.handle, parameters, snd_pcm_uframes_t(periodFrames), 0) >= 0
  }

  /// Takes a period.
  func choose(periodFrames: Int) -> Bool {
    snd_pcm_hw_params_set_period_size(
      pcm.handle, parameters, snd_pcm_uframes_t(periodFrames), 0) >= 0
  }

  /// Takes the buffer length next to `frames`.
  func chooseBuffer(near frames: Int) -> Bool {
    var size = snd_pcm_uframes_t(frames)
    return snd_pcm_hw_params_set_buffer_size_near(pcm.handle, parameters, &size) >= 0
  }

  // MARK: - The end

  /// Sets the device up with what is left, and returns its period and buffer in frames.
  func apply() throws(ALSADriverError) -> (period: Int, buffer: Int) {
    let status = snd_pcm_hw_params(pcm.handle, parameters)
    guard status >= 0 else {
      throw .refused(device: pcm.device, step: "accept its settings", reason: PCM.message(status))
    }
    var period: snd_pcm_uframes_t = 0
    var buffer: snd_pcm_uframes_t = 0
    snd_pcm_hw_params_get_period_size(parameters, &period, nil)
    snd_pcm_hw_params_get_buffer_size(parameters, &buffer)
    return (Int(period), Int(buffer))
  }
}

/// A way of moving samples between the device and us, the best one first.
package enum AccessMode: String, CaseIterable, Sendable {
  /// In the device's memory, all channels of a frame together.
  case mappedInterleaved
  /// In the device's memory, a row for each channel.
  case mappedRows
  /// Copied, all channels of a frame together.
  case copiedInterleaved
  /// Copied, a row for each channel.
  case copiedRows

  /// Whether samples are moved in the device's own memory.
  var isMapped: Bool { self == .mappedInterleaved || self == .mappedRows }
  /// Whether all channels of a frame lie together.
  var isInterleaved: Bool { self == .mappedInterleaved || self == .copiedInterleaved }

  var inALSA: snd_pcm_access_t {
    switch self {
    case .mappedInterleaved: SND_PCM_ACCESS_MMAP_INTERLEAVED
    case .mappedRows: SND_PCM_ACCESS_MMAP_NONINTERLEAVED
    case .copiedInterleaved: SND_PCM_ACCESS_RW_INTERLEAVED
    case .copiedRows: SND_PCM_ACCESS_RW_NONINTERLEAVED
    }
  }
}
