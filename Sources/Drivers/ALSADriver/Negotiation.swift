// Negotiation.swift: negotiates the settings of one or two devices. SPDX-License-Identifier: MIT

import AudioDriver
import CALSA

/// Negotiates access, format, channels, rate, period and buffer of one or two open devices that
/// share a clock.
///
/// Explicit requests are settled before the defaults. A format or a rate that is not available is
/// an error. If a number of channels, a period or a buffer is not available, the nearest one is
/// used and reported. Both directions get the same rate and period.
struct Negotiation {
  /// The default number of periods: one in the card, one in the program, and one for a late
  /// wake-up.
  static let defaultPeriodCount = 3
  /// The divisor of a second for the silence that is kept behind a playback queue.
  private static let marginDivisor = 10
  /// The default rate, in Hz.
  static let defaultRateHz = 48_000
  /// The default number of channels.
  static let defaultChannelCount = 2

  /// The negotiated settings of one direction.
  struct NegotiatedStream {
    let pcm: PCM
    let access: AccessMode
    let format: DeviceFormat
    /// The number of channels that it was opened with.
    let channelCount: Int
    /// The channels in use, counted from 0, in the order of the graph's channels.
    let usedChannels: [Int]
    /// Whether samples are dithered.
    let isDithered: Bool
    let bufferFrames: Int
    /// The frames in the playback buffer at the start: the requested buffer length, which may be
    /// shorter than the actual one.
    let filledFrames: Int
  }

  private(set) var input: NegotiatedStream?
  private(set) var output: NegotiatedStream?
  private(set) var rateHz = 0
  private(set) var periodFrames = 0
  private(set) var isLinked = false
  private(set) var notes: [String] = []

  /// An open device and its requested settings.
  struct Endpoint {
    let request: DeviceRequest
    let pcm: PCM
  }

  /// The requested settings that both directions share.
  struct SharedSettings {
    var rateHz: Int?
    /// Whether another rate is acceptable if the requested one is not available.
    var isRateFlexible = false
    var periodFrames: Int?
    var periodCount: Int?
    /// Whether a device with more channels than requested uses only the first ones.
    var trimsChannels = false
    /// Whether all listed channels must exist.
    var requiresChannels = true
    /// Whether samples are dithered if they have 16 bits or fewer.
    var isDithered = false
    /// Whether the user requested period and buffer, so that a difference is reported.
    var reportsPeriods = true
    /// The allowed access modes, in order of preference.
    var accesses = AccessMode.allCases
  }

  private let endpoints: [Endpoint]
  private let sharedSettings: SharedSettings

  /// Configures the devices, at most one for each direction. [main]
  init(_ endpoints: [Endpoint], _ sharedSettings: SharedSettings) throws(ALSADriverError) {
    self.endpoints = endpoints
    self.sharedSettings = sharedSettings
    let pcms = endpoints.map(\.pcm)
    do {
      try settle(pcms, converting: false)
    } catch {
      // Only an alsa-lib plugin converts rates, and only if the user has chosen one.
      guard error.isAboutRate, pcms.contains(where: { !$0.isHardware }) else { throw error }
      notes = []
      try settle(pcms, converting: true)
      for pcm in pcms where !pcm.isHardware {
        notes.append("The device \(pcm.device) resamples from its native rate to \(rateHz) Hz.")
      }
    }
    if let input, let output {
      isLinked = snd_pcm_link(input.pcm.handle, output.pcm.handle) >= 0
    }
  }

  // MARK: - Negotiation

  private mutating func settle(_ pcms: [PCM], converting: Bool) throws(ALSADriverError) {
    var spaces: [HardwareParameters] = []
    for pcm in pcms { spaces.append(try HardwareParameters(pcm, converting: converting)) }
    var choices = Array(repeating: Candidate(), count: spaces.count)
    for (index, space) in spaces.enumerated() {
      guard let access = space.chooseAccess(among: sharedSettings.accesses) else {
        throw .noUsableAccess(device: space.pcm.device)
      }
      choices[index].access = access
      try applyRequested(space, &choices[index])
    }
    rateHz = try RateChoice.settle(
      spaces, requestedHz: sharedSettings.rateHz, isFlexible: sharedSettings.isRateFlexible)
    for (index, space) in spaces.enumerated() { try chooseUnrequested(space, &choices[index]) }
    periodFrames = try PeriodChoice.settle(
      spaces, wanted: sharedSettings.periodFrames ?? StreamRequest.defaultPeriodFrames)
    if let requested = sharedSettings.periodFrames, sharedSettings.reportsPeriods,
      requested != periodFrames
    {
      let frames = requested == 1 ? "1 frame" : "\(requested) frames"
      notes.append("A period of \(frames) is not supported. Using \(periodFrames).")
    }
    for (index, space) in spaces.enumerated() { try finish(space, choices[index]) }
  }

  /// The settings of one direction during the negotiation.
  private struct Candidate {
    var access = AccessMode.rwInterleaved
    var format: DeviceFormat?
    var channelCount: Int?
  }

  private func applyRequested(
    _ space: HardwareParameters, _ choice: inout Candidate
  ) throws(ALSADriverError) {
    if let format = request(space.pcm).format.flatMap(DeviceFormat.init(name:)) {
      let offered = space.formats
      guard space.restrict(format) else {
        throw .formatNotOffered(
          device: space.pcm.device, direction: space.pcm.direction, format: format.rawValue,
          offered: offered)
      }
      choice.format = format
    }
    if let count = request(space.pcm).openedChannelCount {
      choice.channelCount = try restrictChannels(space, near: count)
    }
  }

  private mutating func chooseUnrequested(
    _ space: HardwareParameters, _ choice: inout Candidate
  ) throws(ALSADriverError) {
    if choice.format == nil {
      let offered = space.formats
      choice.format = DeviceFormat.preferred.first { space.restrict($0) }
      guard choice.format != nil else {
        throw .formatNotOffered(
          device: space.pcm.device, direction: space.pcm.direction, format: nil, offered: offered)
      }
    }
    if sharedSettings.requiresChannels, let channels = request(space.pcm).channels,
      let highest = channels.max(), let actual = choice.channelCount, highest >= actual
    {
      throw .channelNotThere(
        device: space.pcm.device, direction: space.pcm.direction, channel: highest + 1,
        count: actual)
    }
    if choice.channelCount == nil {
      choice.channelCount = try restrictChannels(space, near: Self.defaultChannelCount)
    }
    if let requested = request(space.pcm).openedChannelCount, let actual = choice.channelCount,
      requested != actual
    {
      notes.append(
        "The device \(space.pcm.device) does not support \(Self.channels(requested)) for "
          + "\(space.pcm.direction.rawValue). Using \(actual).")
    }
  }

  private func restrictChannels(
    _ space: HardwareParameters, near count: Int
  ) throws(ALSADriverError) -> Int {
    let range = space.channels
    guard let actual = space.chooseChannels(near: count) else {
      let minimum = range.lowerBound
      let maximum = range.upperBound
      throw .channelsNotOffered(
        device: space.pcm.device, direction: space.pcm.direction, count: count,
        offered: minimum == maximum ? "\(minimum)" : "\(minimum) to \(maximum)")
    }
    return actual
  }

  private mutating func finish(
    _ space: HardwareParameters, _ choice: Candidate
  ) throws(ALSADriverError) {
    let count = sharedSettings.periodCount ?? Self.defaultPeriodCount
    // Silence is kept behind the queue of a playback buffer if there is room: after an underrun
    // that the kernel detects late, it is played instead of old audio.
    let queue = periodFrames * count
    let hasMargin = space.pcm.direction == .playback && space.pcm.isHardware
    let margin = hasMargin ? max(2, (rateHz / Self.marginDivisor + queue - 1) / queue) : 1
    _ = space.chooseBuffer(near: margin * queue)
    let actual = try space.apply()
    let filled = min(actual.buffer, periodFrames * count)
    if let requested = sharedSettings.periodCount, sharedSettings.reportsPeriods,
      filled != requested * periodFrames
    {
      notes.append(
        "The device \(space.pcm.device) has a buffer of \(actual.buffer) frames for "
          + "\(space.pcm.direction.rawValue) instead of \(requested) periods.")
    }
    guard let format = choice.format, let channelCount = choice.channelCount else { return }
    let side = NegotiatedStream(
      pcm: space.pcm, access: choice.access, format: format, channelCount: channelCount,
      usedChannels: usedChannels(request(space.pcm), of: channelCount),
      isDithered: sharedSettings.isDithered,
      bufferFrames: actual.buffer, filledFrames: filled)
    guard snd_pcm_poll_descriptors_count(space.pcm.handle) > 0 else {
      throw .refused(
        device: space.pcm.device, step: "provide poll descriptors",
        reason: "no "
          + "descriptors")
    }
    try SoftwareParameters.apply(side, periodFrames: periodFrames)
    if space.pcm.direction == .capture { input = side } else { output = side }
  }

  private func request(_ pcm: PCM) -> DeviceRequest {
    endpoints.first { $0.pcm === pcm }?.request ?? DeviceRequest(device: pcm.device)
  }

  private func usedChannels(_ request: DeviceRequest, of opened: Int) -> [Int] {
    if let channels = request.channels { return channels }
    let requested = sharedSettings.trimsChannels ? request.channelCount : nil
    return Array(0 ..< min(opened, requested ?? opened))
  }

  private static func channels(_ count: Int) -> String {
    count == 1 ? "1 channel" : "\(count) channels"
  }
}

extension Negotiation.NegotiatedStream {
  /// Returns the channel buffer of each used channel, from this device's share of `all`; nil if
  /// there are no more.
  func buffers(
    of all: [UnsafeMutablePointer<Float>], _ deviceChannels: Range<Int>
  ) -> [UnsafeMutablePointer<Float>?] {
    usedChannels.indices.map { index in
      let row = deviceChannels.lowerBound + index
      return row < deviceChannels.upperBound && row < all.count ? all[row] : nil
    }
  }

  /// Returns the description of the negotiated direction. [main]
  func description(
    rateHz: Int, periodFrames: Int, isFollowing: Bool = false
  ) -> DeviceStream {
    DeviceStream(
      device: pcm.device, name: pcm.name, channelCount: usedChannels.count,
      format: format.rawValue, sampleRateHz: Double(rateHz), periodFrames: periodFrames,
      bufferFrames: pcm.direction == .playback ? filledFrames : bufferFrames,
      isFollowing: isFollowing)
  }
}

extension ALSADriverError {
  /// Whether another method to set the rate could help.
  fileprivate var isAboutRate: Bool {
    switch self {
    case .rateNotOffered, .noCommonRate: true
    default: false
    }
  }
}
