// HardwareParameters.swift: narrows the configuration space of a device. SPDX-License-Identifier:
// MIT

import AudioDriver
import CALSA

/// The configuration space of a PCM: the settings that are still possible after the previous
/// choices (`snd_pcm_hw_params_t`).
///
/// Each `restrict` narrows the space and returns whether the choice was possible; `supports` only
/// tests. This is a class, because the spaces of two directions are narrowed together in a list.
final class HardwareParameters {
  /// The device.
  let pcm: PCM
  private let parameters: OpaquePointer

  /// The rates to name for a device without a continuous range, in Hz.
  static let standardRates = [
    5_512, 8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400,
    192_000, 352_800, 384_000,
  ]

  /// Creates the space of all settings; `converting` includes rates that an alsa-lib plugin
  /// converts. [main]
  init(_ pcm: PCM, converting: Bool = false) throws(ALSADriverError) {
    var minimumPeriods: UInt32 = 2
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
    // A transfer needs at least two periods in the buffer.
    snd_pcm_hw_params_set_periods_min(pcm.handle, parameters, &minimumPeriods, nil)
    self.pcm = pcm
    self.parameters = parameters
  }

  deinit {
    snd_pcm_hw_params_free(parameters)
  }

  // MARK: - Access

  /// Chooses the first of these access modes that the device supports.
  ///
  /// A capture device without a clock can leave memory unwritten, so it gets memory that can be cleared first.
  func chooseAccess(among accesses: [AccessMode]) -> AccessMode? {
    let prefersCopies = pcm.direction == .capture && pcm.lacksClock
    let ordered =
      prefersCopies ? accesses.filter { !$0.isMapped } + accesses.filter(\.isMapped) : accesses
    return ordered.first {
      snd_pcm_hw_params_set_access(pcm.handle, parameters, $0.inALSA) >= 0
    }
  }

  // MARK: - Format

  /// Chooses a format.
  func restrict(_ format: DeviceFormat) -> Bool {
    snd_pcm_hw_params_set_format(pcm.handle, parameters, format.inALSA) >= 0
  }

  /// Returns all formats, in the driver's or ALSA's spelling, including those that the driver does
  /// not convert.
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

  /// The smallest and largest number of channels.
  var channels: ClosedRange<Int> {
    var minimum: UInt32 = 0
    var maximum: UInt32 = 0
    snd_pcm_hw_params_get_channels_min(parameters, &minimum)
    snd_pcm_hw_params_get_channels_max(parameters, &maximum)
    return Int(minimum) ... Int(max(minimum, maximum))
  }

  /// Chooses the number of channels nearest to `count`, and returns it.
  func chooseChannels(near count: Int) -> Int? {
    var channels = UInt32(clamping: count)
    let status = snd_pcm_hw_params_set_channels_near(pcm.handle, parameters, &channels)
    return status >= 0 ? Int(channels) : nil
  }

  // MARK: - Rate

  /// Returns whether a rate in Hz is possible exactly.
  func supports(rateHz: Int) -> Bool {
    snd_pcm_hw_params_test_rate(pcm.handle, parameters, UInt32(clamping: rateHz), 0) >= 0
  }

  /// Chooses a rate.
  func restrict(rateHz: Int) -> Bool {
    snd_pcm_hw_params_set_rate(pcm.handle, parameters, UInt32(clamping: rateHz), 0) >= 0
  }

  /// The lowest and highest rate, in Hz.
  var rates: ClosedRange<Int> {
    var minimum: UInt32 = 0
    var maximum: UInt32 = 0
    snd_pcm_hw_params_get_rate_min(parameters, &minimum, nil)
    snd_pcm_hw_params_get_rate_max(parameters, &maximum, nil)
    return Int(minimum) ... Int(max(minimum, maximum))
  }

  /// The supported usual rates and the ends of the range, in Hz, ascending.
  var someRates: [Int] {
    let range = rates
    let standard = Self.standardRates.filter { range.contains($0) && supports(rateHz: $0) }
    return Set(standard + [range.lowerBound, range.upperBound].filter { supports(rateHz: $0) })
      .sorted()
  }

  /// The rates as text: `8000 to 192000`, or `44100, 48000 and 96000`.
  var rateDescription: String {
    let range = rates
    let isContinuous =
      range.lowerBound < range.upperBound
      && Self.standardRates.filter(range.contains).allSatisfy { supports(rateHz: $0) }
    return isContinuous
      ? "\(range.lowerBound) to \(range.upperBound)"
      : ALSADriverError.list(someRates.map(String.init), "and")
  }

  // MARK: - Period and buffer

  /// The shortest and longest period, in frames.
  var periods: ClosedRange<Int> {
    var minimum: snd_pcm_uframes_t = 0
    var maximum: snd_pcm_uframes_t = 0
    snd_pcm_hw_params_get_period_size_min(parameters, &minimum, nil)
    snd_pcm_hw_params_get_period_size_max(parameters, &maximum, nil)
    // alsa-lib plugins have no maximum; more than some seconds is of no use.
    let bounded = { (frames: snd_pcm_uframes_t) in Int(min(frames, 1 << 20)) }
    return bounded(minimum) ... bounded(max(minimum, maximum))
  }

  /// Returns whether a period of this many frames is supported and fits twice in the buffer.
  func supports(periodFrames: Int) -> Bool {
    snd_pcm_hw_params_test_period_size(
      pcm.handle, parameters, snd_pcm_uframes_t(periodFrames), 0) >= 0
  }

  /// Chooses a period.
  func restrict(periodFrames: Int) -> Bool {
    snd_pcm_hw_params_set_period_size(
      pcm.handle, parameters, snd_pcm_uframes_t(periodFrames), 0) >= 0
  }

  /// Chooses the buffer length nearest to `frames`.
  func chooseBuffer(near frames: Int) -> Bool {
    var size = snd_pcm_uframes_t(frames)
    return snd_pcm_hw_params_set_buffer_size_near(pcm.handle, parameters, &size) >= 0
  }

  // MARK: - Result

  /// Configures the device with the remaining settings, and returns its period and buffer in
  /// frames.
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

/// An access mode of a device, in order of preference.
package enum AccessMode: String, CaseIterable, Sendable {
  /// Memory-mapped, interleaved.
  case mmapInterleaved
  /// Memory-mapped, planar.
  case mmapNoninterleaved
  /// Copied, interleaved.
  case rwInterleaved
  /// Copied, planar.
  case rwNoninterleaved

  /// Whether the memory of the device is mapped.
  var isMapped: Bool { self == .mmapInterleaved || self == .mmapNoninterleaved }
  /// Whether the channels are interleaved.
  var isInterleaved: Bool { self == .mmapInterleaved || self == .rwInterleaved }

  var inALSA: snd_pcm_access_t {
    switch self {
    case .mmapInterleaved: SND_PCM_ACCESS_MMAP_INTERLEAVED
    case .mmapNoninterleaved: SND_PCM_ACCESS_MMAP_NONINTERLEAVED
    case .rwInterleaved: SND_PCM_ACCESS_RW_INTERLEAVED
    case .rwNoninterleaved: SND_PCM_ACCESS_RW_NONINTERLEAVED
    }
  }
}
