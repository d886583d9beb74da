// OutputConcealment.swift: conceals a fault until its node is bypassed. SPDX-License-Identifier:
// MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit

/// Conceals invalid samples and runaway levels in the outputs, and nodes that were silenced, with
/// short fades.
///
/// A block is checked before it is played, so the repair is in time: the last audio continues as a
/// tone and fades out. The output is silent while blocks are bad, and then the audio fades in.
/// Outputs without a fault are unchanged.
struct OutputConcealment: ~Copyable {
  /// The length of a fade, in seconds: short, but long enough to avoid audible spurs.
  static var seconds: Double { 0.01 }
  /// Full scale: while one channel is bad, a channel above this level is taken for bad too.
  private static var fullScale: Float { @_noLocks get { 1 } }
  /// The number of samples that are kept of the last output.
  private static var tailFrames: Int { @_noLocks get { 32 } }

  private struct Channel: BitwiseCopyable {
    var continuation = ToneExtrapolator()
    /// The frames that were faded out, and the frames that were faded in.
    var fadedOut = 0
    var fadedIn = 0
    var isAudible = false
    var isActive = false

    @_noLocks init() {}
  }

  /// The gains of the fade-in.
  let curve: FadeCurve
  private let channelCount: Int
  private let channels: UnsafeMutablePointer<Channel>
  private let tails: UnsafeMutablePointer<Float>
  private var activeCount = 0

  /// Creates a concealment for `channelCount` outputs. [main]
  init(channelCount: Int, sampleRateHz: Double) {
    curve = FadeCurve(frameCount: max(1, Int(Self.seconds * sampleRateHz)))
    self.channelCount = channelCount
    channels = .allocate(capacity: max(1, channelCount))
    channels.initialize(repeating: Channel(), count: max(1, channelCount))
    tails = .allocate(capacity: max(1, channelCount * Self.tailFrames))
    tails.initialize(repeating: 0, count: max(1, channelCount * Self.tailFrames))
  }

  deinit {
    channels.deallocate()
    tails.deallocate()
  }

  /// Repairs a block in which a channel is above the limit, or in which channels lack a node, one
  /// bit each. [render]
  @_noLocks
  mutating func apply(
    to outputs: borrowing PlanarBuffer, _ frameCount: Int, isBad: Bool, lacking: UInt64
  ) {
    if isBad || lacking != 0 || activeCount > 0 {
      for channel in 0 ..< channelCount {
        let samples = outputs[channel]
        let isLacking = lacking &>> UInt64(min(channel, 63)) & 1 != 0
        let isSilent =
          isLacking || isBad && PeakMeter.peak(samples, frameCount) > Self.fullScale
        repair(channel, samples, frameCount, isSilent: isSilent)
      }
    }
    for channel in 0 ..< channelCount {
      let tail = tails + channel &* Self.tailFrames
      storeTail(tail, Self.tailFrames, of: outputs[channel], frameCount)
    }
  }

  @_noLocks
  private mutating func repair(
    _ channel: Int, _ samples: UnsafeMutablePointer<Float>, _ frameCount: Int, isSilent: Bool
  ) {
    if isSilent {
      if !channels[channel].isActive || channels[channel].fadedIn > 0 { begin(channel) }
    } else if !channels[channel].isActive {
      return
    }
    channels[channel].isAudible = !isSilent
    mix(channels + channel, samples, frameCount)
    if channels[channel].fadedIn == curve.frameCount {
      channels[channel].isActive = false
      activeCount &-= 1
    }
  }

  @_noLocks
  private mutating func begin(_ channel: Int) {
    if !channels[channel].isActive { activeCount &+= 1 }
    channels[channel] = Channel()
    channels[channel].isActive = true
    // Louder samples were clipped at the output.
    channels[channel].continuation = ToneExtrapolator(
      after: tails + channel &* Self.tailFrames, Self.tailFrames, upTo: Self.fullScale)
  }

  @_noLocks
  private func mix(
    _ channel: UnsafeMutablePointer<Channel>, _ samples: UnsafeMutablePointer<Float>,
    _ frameCount: Int
  ) {
    let isAudible = channel.pointee.isAudible
    for frame in 0 ..< frameCount {
      var sample: Float = 0
      if isAudible, channel.pointee.fadedIn < curve.frameCount {
        sample = samples[frame] * curve.gains[channel.pointee.fadedIn]
        channel.pointee.fadedIn &+= 1
      } else if isAudible {
        sample = samples[frame]
      }
      if channel.pointee.fadedOut < curve.frameCount {
        sample +=
          channel.pointee.continuation.next() * (1 - curve.gains[channel.pointee.fadedOut])
        channel.pointee.fadedOut &+= 1
      }
      samples[frame] = sample
    }
  }
}

/// Keeps the last samples of blocks of any length. [render]
@_noLocks
func storeTail(
  _ tail: UnsafeMutablePointer<Float>, _ capacity: Int, of samples: UnsafePointer<Float>,
  _ frameCount: Int
) {
  let keptCount = max(0, capacity &- frameCount)
  let newCount = capacity &- keptCount
  if keptCount > 0 { crealtime_move(tail, tail + newCount, UInt32(truncatingIfNeeded: keptCount)) }
  crealtime_copy(
    tail + keptCount, samples + (frameCount &- newCount), UInt32(truncatingIfNeeded: newCount))
}
