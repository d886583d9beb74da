// LevelMeasurement.swift: all levels of a stream of frames. SPDX-License-Identifier: MIT

import AudioFiles
import Glibc

/// Measures frames in ticks of 10 ms, so that the result does not depend on the block length.
///
/// Its memory does not grow with time, except for files.
package final class LevelMeasurement {
  /// The purpose of a measurement.
  package enum Purpose: Sendable, Equatable {
    /// A continuous signal: loudness is counted in steps of 0.1 LU, and the spectrum is measured.
    case live
    /// A file: every loudness block is kept, about 50 bytes per second.
    case file
    /// A file of which a picture is made: the spectrum is there too, closer together in a short one.
    case picture(isShort: Bool)
  }

  /// Ticks in a second.
  static let ticksPerSecond = 100
  /// The number of ticks in the window of mean level and correlation: 0.3 s.
  private static let windowTicks = 30
  private static let holdTicks = 100
  /// The fall of a peak per second: 20 dB in 1.7 s.
  private static let fallDecibels = 20 / 1.7

  package let channelCount: Int
  package let sampleRateHz: Double
  let tickFrames: Int
  private let purpose: Purpose
  private let decay: Double
  /// The interleaved frames of the current tick.
  let tick: UnsafeMutablePointer<Float>
  private(set) var held = 0

  private(set) var channels: [ChannelLevels]
  private var loudness: Loudness?
  private(set) var spectrum: BandSpectrum?
  /// For each of the last ticks the squares of each channel, products of two, and frames.
  private var window: [[Double]]
  private var tickCount = 0
  private(set) var frameCount = 0
  /// The sum of the products of two channels in the last tick.
  private(set) var lastProduct = 0.0
  /// The number of frames that were lost before the measurement.
  package private(set) var lostFrameCount = 0
  private(set) var momentary = -Double.infinity
  private(set) var shortTerm = -Double.infinity
  private var highestMomentary = -Double.infinity
  private var highestShortTerm = -Double.infinity
  /// The observer of each tick.
  var observer: (any TickObserver)?

  /// Creates an empty measurement of `channelCount` channels, at least 1. [any]
  package init(channelCount: Int, sampleRateHz: Double, for purpose: Purpose) {
    self.channelCount = channelCount
    self.sampleRateHz = sampleRateHz
    self.purpose = purpose
    tickFrames = max(1, Int((sampleRateHz / Double(Self.ticksPerSecond)).rounded()))
    decay = pow(10, -Self.fallDecibels / 20 * Double(tickFrames) / sampleRateHz)
    tick = .allocate(capacity: tickFrames * channelCount)
    tick.initialize(repeating: 0, count: tickFrames * channelCount)
    channels = []
    window = []
    clear()
  }

  deinit {
    tick.deallocate()
  }

  /// Discards all measured values. [any one thread]
  package func restart() { clear() }

  private func clear() {
    held = 0
    channels = Array(repeating: ChannelLevels(), count: channelCount)
    window = Array(repeating: Array(repeating: 0, count: channelCount + 2), count: Self.windowTicks)
    let parts: Loudness.Options = [.truePeak, .shortTerm, .range]
    loudness = Loudness(
      channelCount: channelCount, sampleRateHz: Int(sampleRateHz.rounded()),
      purpose == .live ? parts.union(.counted) : parts)
    spectrum =
      switch purpose {
      case .file: nil
      case .live, .picture(isShort: false):
        BandSpectrum(channelCount: channelCount, sampleRateHz: sampleRateHz)
      case .picture(isShort: true):
        BandSpectrum(channelCount: channelCount, sampleRateHz: sampleRateHz, overlap: 8)
      }
    (tickCount, frameCount, lostFrameCount) = (0, 0, 0)
    (momentary, shortTerm) = (-.infinity, -.infinity)
    (highestMomentary, highestShortTerm) = (-.infinity, -.infinity)
  }

  // MARK: - Sound

  /// Measures `frameCount` frames, from frame `start` of the channel buffers on. [any one thread]
  package func measure(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int = 0, frameCount: Int
  ) {
    var done = 0
    while done < frameCount {
      let count = min(frameCount - done, tickFrames - held)
      Interleaving.join(
        rows, from: start + done, to: tick + held * channelCount, channelCount: channelCount,
        frameCount: count)
      held += count
      done += count
      if held == tickFrames { completeTick() }
    }
  }

  /// Measures the rest, less than a tick, at the end. [any one thread]
  package func finish() {
    if held > 0 { completeTick() }
  }

  /// Counts lost frames: time advances without them. [any one thread]
  package func recordLostFrames(frameCount: Int) { lostFrameCount += frameCount }

  private func completeTick() {
    let row = tickCount % Self.windowTicks
    for channel in 0 ..< channelCount {
      channels[channel].take(tick + channel, stride: channelCount, frameCount: held)
      channels[channel].decay(by: decay, holding: Self.holdTicks)
      window[row][channel] = channels[channel].tickSquares
    }
    lastProduct = channelCount == 2 ? product() : 0
    window[row][channelCount] = lastProduct
    window[row][channelCount + 1] = Double(held)
    loudness?.measure(tick, frameCount: held)
    spectrum?.take(tick, frameCount: held)
    frameCount += held
    tickCount += 1
    momentary = loudness?.momentaryLUFS ?? -.infinity
    highestMomentary = max(highestMomentary, momentary)
    if tickCount % 10 == 0 {
      shortTerm = loudness?.shortTermLUFS ?? -.infinity
      highestShortTerm = max(highestShortTerm, shortTerm)
    }
    observer?.tickCompleted(of: self)
    held = 0
  }

  /// The sum of the products of two channels.
  private func product() -> Double {
    var sum = 0.0
    for frame in 0 ..< held {
      sum += Double(tick[2 &* frame]) * Double(tick[2 &* frame &+ 1])
    }
    return sum
  }

  // MARK: - Values

  /// Whether the short-term loudness is updated after this tick.
  var isTenth: Bool { tickCount % 10 == 0 }

  /// The highest point of a channel between the samples of the last tick, linear.
  func lastTruePeak(ofChannel channel: Int) -> Double {
    max(loudness?.lastTruePeak(ofChannel: channel) ?? 0, Double(channels[channel].last))
  }

  /// Returns the mean square of a channel, or the mean product of both, over the last ticks.
  func meanSquare(_ column: Int) -> Double {
    let frames = window.reduce(0) { $0 + $1[channelCount + 1] }
    return frames > 0 ? window.reduce(0) { $0 + $1[column] } / frames : 0
  }

  /// The correlation of two channels; nil for silence.
  private var correlation: Double? {
    guard channelCount == 2 else { return nil }
    let powers = meanSquare(0) * meanSquare(1)
    guard powers > 0 else { return nil }
    return min(1, max(-1, meanSquare(2) / powers.squareRoot()))
  }

  /// All that is known now. [any one thread]
  package var reading: MeterReading {
    MeterReading(
      seconds: Double(frameCount) / sampleRateHz, lostFrameCount: lostFrameCount,
      channels: channels.indices.map(reading), momentary: momentary,
      highestMomentary: highestMomentary, shortTerm: shortTerm,
      highestShortTerm: highestShortTerm, integrated: loudness?.integratedLUFS ?? -.infinity,
      range: loudness?.rangeLU, correlation: correlation, bands: spectrum?.bands ?? [])
  }

  private func reading(of index: Int) -> MeterReading.Channel {
    let channel = channels[index]
    // A peak between the samples is not lower than the samples.
    let peak = max(loudness?.truePeak(ofChannel: index) ?? 0, Double(channel.highest))
    return MeterReading.Channel(
      peak: DecibelConversion.fromAmplitude(channel.falling),
      held: DecibelConversion.fromAmplitude(channel.held),
      highest: DecibelConversion.fromAmplitude(Double(channel.highest)),
      truePeak: DecibelConversion.fromAmplitude(peak),
      mean: DecibelConversion.ofMeanSquare(meanSquare(index)), clipCount: channel.clipCount,
      offset: frameCount > 0 ? channel.sum / Double(frameCount) : 0)
  }
}

/// An observer of a measurement.
protocol TickObserver: AnyObject {
  /// Another 10 ms, or the rest, were measured. [the measuring thread]
  func tickCompleted(of measurement: LevelMeasurement)
}
