// DCOffsetDetector.swift: detects a constant offset in audio. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import RealtimeKit

/// The signs and the sum of a number of samples: plain data.
struct DCOffsetStatistics: BitwiseCopyable {
  private static var signBit: UInt32 { @_noLocks get { 0x8000_0000 } }

  /// The bits that all samples have, and the bits that any sample has.
  private var all: UInt32 = .max
  private var any: UInt32 = 0
  private var sum = 0.0
  private(set) var frameCount = 0

  /// Creates the statistics of no samples. [any]
  @_noLocks init() {}

  /// Adds samples. [render]
  @_noLocks
  mutating func add(_ samples: UnsafePointer<Float>, _ count: Int) {
    let raw = UnsafeRawPointer(samples)
    var common = SIMD8<UInt32>(repeating: .max)
    var found = SIMD8<UInt32>(repeating: 0)
    var sums = SIMD8<Float>(repeating: 0)
    var frame = 0
    while frame + 8 <= count {
      let bits = raw.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD8<UInt32>.self)
      common = common & bits
      found = found | bits
      sums = sums + raw.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD8<Float>.self)
      frame &+= 8
    }
    for lane in 0 ..< 8 {
      all &= common[lane]
      any |= found[lane]
      sum += Double(sums[lane])
    }
    while frame < count {
      all &= samples[frame].bitPattern
      any |= samples[frame].bitPattern
      sum += Double(samples[frame])
      frame &+= 1
    }
    frameCount &+= count
  }

  /// Whether all samples are on the same side of zero.
  var isOneSided: Bool { @_noLocks get { all & Self.signBit != 0 || any & Self.signBit == 0 } }
  /// The distance of the mean from zero if all samples are on the same side; otherwise 0.
  var offset: Float {
    @_noLocks get { isOneSided && frameCount > 0 ? Float(abs(sum) / Double(frameCount)) : 0 }
  }
}

/// Detects a DC offset at the outputs, which is inaudible but can damage loudspeakers.
///
/// An output has a DC offset if all samples of five seconds are on the same side of zero and their
/// mean is above -20 dBFS. Audio crosses zero many times a second even if it is asymmetric, and so
/// does any oscillation of 0.1 Hz and more. Only the first sample of each block is examined, until
/// these were on the same side for one second; this is very rare for audio. Only then all samples
/// are examined.
struct DCOffsetDetector: ~Copyable {
  /// The smallest mean that is a DC offset, linear: -20 dBFS.
  static var limit: Float { @_noLocks get { 0.1 } }
  /// How long the first samples of blocks must be on one side before all samples are examined, in
  /// seconds.
  private static var triggerSeconds: Double { 1 }
  /// How long all samples must be on one side after that, in seconds.
  private static var confirmSeconds: Double { 4 }
  /// A first sample below this level is ignored, linear.
  private static var minimumSample: Float { @_noLocks get { 0.01 } }

  private struct Channel: BitwiseCopyable {
    var isNegative = false
    var frameCount = 0
    var tally = DCOffsetStatistics()

    @_noLocks init() {}
  }

  private let channelCount: Int
  private let channels: UnsafeMutablePointer<Channel>
  private let suspicionFrames: Int
  private let certaintyFrames: Int

  /// Creates a detector for `channelCount` channels. [main]
  init(channelCount: Int, sampleRateHz: Double) {
    self.channelCount = channelCount
    channels = .allocate(capacity: max(1, channelCount))
    channels.initialize(repeating: Channel(), count: max(1, channelCount))
    suspicionFrames = Int(Self.triggerSeconds * sampleRateHz)
    certaintyFrames = Int(Self.confirmSeconds * sampleRateHz)
  }

  deinit { channels.deallocate() }

  /// Examines a block.
  ///
  /// Returns whether an offset was detected with it. [render]
  @_noLocks
  mutating func check(at outputs: borrowing PlanarBuffer, _ frameCount: Int) -> Bool {
    var isOffset = false
    for channel in 0 ..< channelCount {
      let first = outputs[channel][0]
      let isNegative = first < 0
      // Uses a pointer: a build with the thread sanitizer fails on a change through `self`.
      let known = channels + channel
      guard abs(first) > Self.minimumSample, isNegative == known.pointee.isNegative else {
        known.pointee = Channel()
        known.pointee.isNegative = isNegative
        continue
      }
      known.pointee.frameCount &+= frameCount
      if known.pointee.frameCount > suspicionFrames {
        isOffset = isConstant(known, outputs[channel], frameCount) || isOffset
      }
    }
    return isOffset
  }

  @_noLocks
  private func isConstant(
    _ channel: UnsafeMutablePointer<Channel>, _ samples: UnsafePointer<Float>, _ frameCount: Int
  ) -> Bool {
    channel.pointee.tally.add(samples, frameCount)
    let tally = channel.pointee.tally
    if !tally.isOneSided {
      channel.pointee = Channel()
    } else if tally.frameCount >= certaintyFrames {
      // In both cases the examination starts again.
      channel.pointee = Channel()
      return tally.offset > Self.limit
    }
    return false
  }
}
