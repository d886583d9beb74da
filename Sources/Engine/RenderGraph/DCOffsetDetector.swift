// DCOffsetDetector.swift: detects a constant offset in audio. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import RealtimeKit

/// What is known of a number of samples: whether all lie on one side of zero, and where in the mean; plain data.
struct DCOffsetStatistics: BitwiseCopyable {
  private static var signBit: UInt32 { @_noLocks get { 0x8000_0000 } }

  /// Bits that all of them have, and that any has.
  private var all: UInt32 = .max
  private var any: UInt32 = 0
  private var sum = 0.0
  private(set) var frameCount = 0

  /// Of no samples. [any]
  @_noLocks init() {}

  /// Takes samples into account. [render]
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

  /// Whether no sample lies on the other side of zero.
  var isOneSided: Bool { @_noLocks get { all & Self.signBit != 0 || any & Self.signBit == 0 } }
  /// The distance of their mean from zero, where all lie on one side; else 0.
  var offset: Float {
    @_noLocks get { isOneSided && frameCount > 0 ? Float(abs(sum) / Double(frameCount)) : 0 }
  }
}

/// Watches the outputs for a constant offset, which is not heard and burns loudspeakers.
///
/// It is one if for five seconds not one sample lies on the other side of zero, and the mean is above -20 dBFS. Sound
/// crosses zero many times a second, however lopsided, and so does an oscillation down to a tenth of a hertz.
/// Of each block the first sample is looked at, until all of them were on one side for a second, which those of a
/// sound hardly ever are; only then all are.
struct DCOffsetDetector: ~Copyable {
  /// Above this, linear, it is one: -20 dBFS.
  static var limit: Float { @_noLocks get { 0.1 } }
  /// So long the first samples of blocks are on one side before all are looked at, in seconds.
  private static var suspicionSeconds: Double { 1 }
  /// And so long then all.
  private static var certaintySeconds: Double { 4 }
  /// A first sample that is as good as none.
  private static var leastSample: Float { @_noLocks get { 0.01 } }

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

  /// A watch of so many channels. [main]
  init(channelCount: Int, sampleRateHz: Double) {
    self.channelCount = channelCount
    channels = .allocate(capacity: max(1, channelCount))
    channels.initialize(repeating: Channel(), count: max(1, channelCount))
    suspicionFrames = Int(Self.suspicionSeconds * sampleRateHz)
    certaintyFrames = Int(Self.certaintySeconds * sampleRateHz)
  }

  deinit { channels.deallocate() }

  /// Looks at a block; whether a channel has been beside zero for too long just now. [render]
  @_noLocks
  mutating func look(at outputs: borrowing PlanarBuffer, _ frameCount: Int) -> Bool {
    var isOffset = false
    for channel in 0 ..< channelCount {
      let first = outputs[channel][0]
      let isNegative = first < 0
      // By a pointer of its own: the thread sanitizer's build fails on a change through `self`.
      let known = channels + channel
      guard abs(first) > Self.leastSample, isNegative == known.pointee.isNegative else {
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
      // Whether it is or not, it is looked at afresh.
      channel.pointee = Channel()
      return tally.offset > Self.limit
    }
    return false
  }
}
