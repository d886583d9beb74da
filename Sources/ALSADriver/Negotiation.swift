// Negotiation.swift: what a user asks and what one or two devices can do, brought together. SPDX-License-Identifier: MIT

import AudioDriver
import CALSA

/// Opens the devices of a request and settles access, format, channels, rate, period and buffer.
///
/// What was asked for explicitly is settled before what is left to us. A format or a rate that is
/// not there is an error; a number of channels, a period or a buffer that is not there gives the
/// nearest and a note. Both directions get the same rate and period.
struct Negotiation {
  /// Frames in a period, where the request leaves it open: 5 ms at 48 kHz.
  static let usualPeriodFrames = 256
  /// Periods in a buffer, where the request leaves it open: one is with the card, one with us, and
  /// one more outlives a late wake-up.
  static let usualPeriodCount = 3
  /// Rate where the request leaves it open, in Hz.
  static let usualRateHz = 48_000
  /// Channels where the request leaves them open.
  static let usualChannelCount = 2

  /// One direction, settled.
  struct Side {
    let pcm: PCM
    let access: TransferAccess
    let format: SampleFormat
    let channelCount: Int
    let bufferFrames: Int
    /// Frames that lie in the playback buffer at the start: the requested length of the buffer, which
    /// may be shorter than the one that was got.
    let filledFrames: Int
  }

  private(set) var input: Side?
  private(set) var output: Side?
  private(set) var rateHz = 0
  private(set) var periodFrames = 0
  private(set) var isLinked = false
  private(set) var notes: [String] = []

  private let request: StreamRequest
  private let accesses: [TransferAccess]

  /// Opens and sets up what the request names. [main]
  init(_ request: StreamRequest, accesses: [TransferAccess]) throws(ALSADriverError) {
    self.request = request
    self.accesses = accesses
    try Self.check(request)
    let pcms = try Self.open(request)
    do {
      try settle(pcms, converting: false)
    } catch {
      // Only a plug-in converts rates, and only who chose one gets it.
      guard error.isAboutRate, pcms.contains(where: { !$0.isHardware }) else { throw error }
      notes = []
      try settle(pcms, converting: true)
      for pcm in pcms where !pcm.isHardware {
        notes.append("The device \(pcm.device) converts its own rate to \(rateHz) Hz.")
      }
    }
    if let input, let output {
      isLinked = snd_pcm_link(input.pcm.handle, output.pcm.handle) >= 0
    }
  }

  // MARK: - Before anything is opened

  private static func check(_ request: StreamRequest) throws(ALSADriverError) {
    let numbers: [(String, Int?, Int)] = [
      ("number of input channels", request.inputChannelCount, 1),
      ("number of output channels", request.outputChannelCount, 1),
      ("rate in Hz", request.sampleRateHz, 1),
      ("period in frames", request.periodFrames, 1),
      ("number of periods", request.periodCount, 2),
    ]
    for (what, value, least) in numbers {
      if let value, value < least { throw .impossible(what: what, value: value, least: least) }
    }
    if let name = request.format, SampleFormat(name: name) == nil {
      throw .unknownFormat(name: name)
    }
    if request.inputDevice == nil && request.outputDevice == nil { throw .noDeviceNamed }
  }

  private static func open(_ request: StreamRequest) throws(ALSADriverError) -> [PCM] {
    var pcms: [PCM] = []
    if let device = request.inputDevice {
      pcms.append(try PCM(device: device, direction: .capture))
    }
    if let device = request.outputDevice {
      pcms.append(try PCM(device: device, direction: .playback))
    }
    return pcms
  }

  // MARK: - Settling

  private mutating func settle(_ pcms: [PCM], converting: Bool) throws(ALSADriverError) {
    var spaces: [HardwareSpace] = []
    for pcm in pcms { spaces.append(try HardwareSpace(pcm, converting: converting)) }
    var choices = Array(repeating: Choice(), count: spaces.count)
    for (index, space) in spaces.enumerated() {
      guard let access = space.chooseAccess(among: accesses) else {
        throw .noUsableAccess(device: space.pcm.device)
      }
      choices[index].access = access
      try settleRequested(space, &choices[index])
    }
    rateHz = try RateChoice.settle(spaces, requestedHz: request.sampleRateHz)
    for (index, space) in spaces.enumerated() { try settleUnasked(space, &choices[index]) }
    periodFrames = try PeriodChoice.settle(
      spaces, wanted: request.periodFrames ?? Self.usualPeriodFrames)
    if let asked = request.periodFrames, asked != periodFrames {
      let frames = asked == 1 ? "1 frame" : "\(asked) frames"
      notes.append("A period of \(frames) is not offered; \(periodFrames) are used.")
    }
    for (index, space) in spaces.enumerated() { try finish(space, choices[index]) }
  }

  /// What is being settled for one direction.
  private struct Choice {
    var access = TransferAccess.copiedInterleaved
    var format: SampleFormat?
    var channelCount: Int?
  }

  private func settleRequested(
    _ space: HardwareSpace, _ choice: inout Choice
  ) throws(ALSADriverError) {
    if let format = request.format.flatMap(SampleFormat.init(name:)) {
      let offered = space.formats
      guard space.choose(format) else {
        throw .formatNotOffered(
          device: space.pcm.device, direction: space.pcm.direction, format: format.rawValue,
          offered: offered)
      }
      choice.format = format
    }
    if let count = requestedChannels(space.pcm.direction) {
      choice.channelCount = try settleChannels(space, near: count)
    }
  }

  private mutating func settleUnasked(
    _ space: HardwareSpace, _ choice: inout Choice
  ) throws(ALSADriverError) {
    if choice.format == nil {
      let offered = space.formats
      choice.format = SampleFormat.preferred.first { space.choose($0) }
      guard choice.format != nil else {
        throw .formatNotOffered(
          device: space.pcm.device, direction: space.pcm.direction, format: nil, offered: offered)
      }
    }
    if choice.channelCount == nil {
      choice.channelCount = try settleChannels(space, near: Self.usualChannelCount)
    }
    if let asked = requestedChannels(space.pcm.direction), let got = choice.channelCount,
      asked != got
    {
      notes.append(
        "The device \(space.pcm.device) has no \(Self.channels(asked)) for "
          + "\(space.pcm.direction.rawValue); \(got) are used.")
    }
  }

  private func settleChannels(
    _ space: HardwareSpace, near count: Int
  ) throws(ALSADriverError) -> Int {
    let range = space.channels
    guard let got = space.chooseChannels(near: count) else {
      let least = range.lowerBound
      let most = range.upperBound
      throw .channelsNotOffered(
        device: space.pcm.device, direction: space.pcm.direction, count: count,
        offered: least == most ? "\(least)" : "\(least) to \(most)")
    }
    return got
  }

  private mutating func finish(
    _ space: HardwareSpace, _ choice: Choice
  ) throws(ALSADriverError) {
    let count = request.periodCount ?? Self.usualPeriodCount
    _ = space.chooseBuffer(near: periodFrames * count)
    let got = try space.apply()
    if let asked = request.periodCount, got.buffer != asked * periodFrames {
      notes.append(
        "The device \(space.pcm.device) has a buffer of \(got.buffer) frames for "
          + "\(space.pcm.direction.rawValue), not of \(asked) periods.")
    }
    guard let format = choice.format, let channelCount = choice.channelCount else { return }
    let side = Side(
      pcm: space.pcm, access: choice.access, format: format, channelCount: channelCount,
      bufferFrames: got.buffer, filledFrames: min(got.buffer, periodFrames * count))
    try SoftwareSettings.apply(side, periodFrames: periodFrames)
    if space.pcm.direction == .capture { input = side } else { output = side }
  }

  private func requestedChannels(_ direction: ALSADriverError.Direction) -> Int? {
    direction == .capture ? request.inputChannelCount : request.outputChannelCount
  }

  private static func channels(_ count: Int) -> String {
    count == 1 ? "single channel" : "\(count) channels"
  }
}

extension Negotiation {
  /// What was got, for those above. [main]
  var description: StreamDescription {
    StreamDescription(
      inputs: [input.map(describe)].compactMap(\.self),
      outputs: [output.map(describe)].compactMap(\.self), sampleRateHz: Double(rateHz),
      periodFrames: periodFrames, isLinked: isLinked,
      roundTripFrames: input == nil ? nil : output?.filledFrames, notes: notes)
  }

  private func describe(_ side: Side) -> DeviceStream {
    DeviceStream(
      device: side.pcm.device, name: side.pcm.name, channelCount: side.channelCount,
      format: side.format.rawValue, sampleRateHz: Double(rateHz), periodFrames: periodFrames,
      bufferFrames: side.bufferFrames)
  }
}

extension ALSADriverError {
  /// Whether another way of getting at the rate could help.
  fileprivate var isAboutRate: Bool {
    switch self {
    case .rateNotOffered, .noCommonRate: true
    default: false
    }
  }
}
