// LV2BlockLengths.swift: which block lengths a plugin is promised, and how that is kept. SPDX-License-Identifier: MIT

internal import PluginModel
internal import Reblocking

/// The block lengths of one instance: what the features and options tell it of them, and the shape that
/// an adapter has to keep.
///
/// A length is promised only to a plugin that asks for the promise. One that requires it gets it in
/// any case, be it at the price of a delay; one that would merely use it gets it where it is free,
/// because the host's blocks are all alike.
struct LV2BlockLengths: Equatable {
  /// Shorter blocks are not made of the host's only to save a delay: less time would go into sound
  /// than into calls, and some plugins fail at blocks of a few frames.
  static let shortestPieceFrames = 16

  /// What an adapter keeps; nil where blocks go to the plugin as they come.
  let shape: BlockConstraint?
  /// The shortest block that may come, in frames.
  let minimumFrameCount: Int
  /// The longest one.
  let maximumFrameCount: Int
  /// What most of them have.
  private(set) var nominalFrameCount: Int

  /// Every block has the same length.
  var isFixed: Bool {
    if case .exactly = shape { true } else { false }
  }

  /// The length of every block is a power of two.
  var isPowerOfTwo: Bool {
    switch shape {
    case .exactly(let frameCount): frameCount.isPowerOfTwo
    case .powerOfTwo: true
    case .multiple, nil: false
    }
  }

  /// What is promised to a plugin with these features, by a host as `configuration` says.
  ///
  /// One whose data give `limits` of their own gets blocks of one power of two within them, and thereby
  /// all that features could ask for: such data have been seen of convolvers alone, which at other
  /// lengths refuse, corrupt the heap, or pass the sound on as it is without a word.
  init(
    required: [String], optional: [String], limits: ClosedRange<Int>? = nil,
    _ configuration: NodeConfiguration
  ) {
    let shape: BlockConstraint? =
      if let limits {
        .exactly(frameCount: Self.powerOfTwo(within: limits, configuration))
      } else {
        Self.shape(required: required, optional: optional, configuration)
      }
    self.init(shape: shape, longest: configuration.maximumFrameCount)
  }

  /// Blocks of a shape, or of up to so many frames.
  private init(shape: BlockConstraint?, longest: Int) {
    self.shape = shape
    maximumFrameCount = shape?.frameCount ?? longest
    if case .exactly(let frameCount) = shape {
      minimumFrameCount = frameCount
    } else {
      minimumFrameCount = 1
    }
    nominalFrameCount = maximumFrameCount
  }

  /// What features ask for; nil where they ask for nothing, or for more than is free.
  private static func shape(
    required: [String], optional: [String], _ configuration: NodeConfiguration
  ) -> BlockConstraint? {
    let fixed = LV2.bufferSize + "fixedBlockLength"
    let powerOfTwo = LV2.bufferSize + "powerOf2BlockLength"
    let host = configuration.maximumFrameCount
    let isConstant = configuration.hasConstantBlocks
    let all = required + optional
    if required.contains(powerOfTwo) {
      return powerOfTwoShape(
        host, isConstant: isConstant, isFixed: required.contains(fixed),
        wouldBeFixed: all.contains(fixed))
    }
    if required.contains(fixed) { return .exactly(frameCount: host) }
    let isFree = all.contains(fixed) || (all.contains(powerOfTwo) && host.isPowerOfTwo)
    return isConstant && isFree ? .exactly(frameCount: host) : nil
  }

  /// What to offer to a plugin that did not want to be made for the blocks of `configuration`; nil where
  /// these are a power of two, and long enough.
  ///
  /// Convolvers have been seen to refuse fewer than 64 frames, and what is no power of two, and say so
  /// only in words.
  static func secondOffer(_ configuration: NodeConfiguration) -> LV2BlockLengths? {
    let host = configuration.maximumFrameCount
    guard host < shortestWillingFrames || !host.isPowerOfTwo else { return nil }
    let limits = shortestWillingFrames ... max(host, shortestWillingFrames)
    let frameCount = powerOfTwo(within: limits, configuration)
    return LV2BlockLengths(shape: .exactly(frameCount: frameCount), longest: host)
  }

  /// No plugin is known that refuses this.
  private static let shortestWillingFrames = 64

  /// A power of two between limits of which the lower is one: one that goes into the host's block
  /// without a rest, where there is one, else the longest.
  private static func powerOfTwo(
    within limits: ClosedRange<Int>, _ configuration: NodeConfiguration
  ) -> Int {
    let host = configuration.maximumFrameCount
    let longest = limits.upperBound.lastPowerOfTwo
    let piece = min(host & -host, longest)
    if configuration.hasConstantBlocks, piece >= limits.lowerBound { return piece }
    return min(max(host, limits.lowerBound).lastPowerOfTwo, longest)
  }

  /// The same with another typical length, from 1 to the longest; nil where a promise forbids it.
  func typically(_ frameCount: Int) -> LV2BlockLengths? {
    guard shape == nil, 1 ... maximumFrameCount ~= frameCount else { return nil }
    var blocks = self
    blocks.nominalFrameCount = frameCount
    return blocks
  }

  /// Powers of two for a plugin that requires them.
  private static func powerOfTwoShape(
    _ host: Int, isConstant: Bool, isFixed: Bool, wouldBeFixed: Bool
  ) -> BlockConstraint {
    if isConstant, host.isPowerOfTwo, wouldBeFixed { return .exactly(frameCount: host) }
    // The longest power of two that goes into the host's block without a rest is the shortest piece.
    let shortest = host & -host
    if isConstant, host.isPowerOfTwo || shortest >= shortestPieceFrames {
      return isFixed ? .exactly(frameCount: shortest) : .powerOfTwo(upTo: host.lastPowerOfTwo)
    }
    return .exactly(frameCount: max(host, shortestPieceFrames).lastPowerOfTwo)
  }
}

extension Int {
  /// Whether it is one of 1, 2, 4, 8 ... [any]
  fileprivate var isPowerOfTwo: Bool { self > 0 && nonzeroBitCount == 1 }

  /// The greatest power of two that is not greater; of numbers from 1 on. [any]
  fileprivate var lastPowerOfTwo: Int { 1 << (Int.bitWidth - 1 - leadingZeroBitCount) }

  /// The least power of two that is not less; of numbers from 1 to 2^62. [any]
  var nextPowerOfTwo: Int { self <= 1 ? 1 : (self - 1).lastPowerOfTwo << 1 }
}
