// LV2BlockLengths.swift: block length guarantees for a plugin. SPDX-License-Identifier: MIT

internal import PluginModel
internal import Reblocking

/// The block lengths of an instance: the values of features and options, and the constraint for an adapter.
///
/// A guarantee is given only to a plugin that requests it. A plugin that requires it always gets it, if necessary
/// with more latency. A plugin that supports it gets it only if all blocks of the host have the same length.
struct LV2BlockLengths: Equatable {
  /// Shorter blocks are not used just to avoid latency: call overhead would dominate, and some plugins fail with
  /// blocks of a few frames.
  static let minimumPieceFrames = 16

  /// The constraint for the adapter; nil if the plugin receives the host's blocks.
  let shape: BlockConstraint?
  /// The minimum block length, in frames.
  let minimumFrameCount: Int
  /// The maximum block length.
  let maximumFrameCount: Int
  /// The nominal block length.
  private(set) var nominalFrameCount: Int

  /// Whether every block has the same length.
  var isFixed: Bool {
    if case .exactly = shape { true } else { false }
  }

  /// Whether every block length is a power of two.
  var isPowerOfTwo: Bool {
    switch shape {
    case .exactly(let frameCount): frameCount.isPowerOfTwo
    case .powerOfTwo: true
    case .multiple, nil: false
    }
  }

  /// Returns the guarantees for a plugin with these features and a host configuration.
  ///
  /// A plugin with `limits` in its data gets blocks of one power of two within them, which satisfies all features.
  /// Only convolvers are known to have such limits. With other lengths they fail, corrupt the heap, or pass the
  /// input through.
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

  /// Creates lengths from a constraint, or up to a maximum.
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

  /// Returns the constraint of the features; nil if there is none, or if it would cost latency.
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

  /// Returns other lengths for a plugin that failed to instantiate with the blocks of `configuration`; nil if those
  /// are already a sufficiently long power of two.
  ///
  /// Some convolvers reject fewer than 64 frames and lengths that are not a power of two. They report it only in
  /// the log.
  static func alternativeBlockLengths(_ configuration: NodeConfiguration) -> LV2BlockLengths? {
    let host = configuration.maximumFrameCount
    guard host < minimumPreferredFrames || !host.isPowerOfTwo else { return nil }
    let limits = minimumPreferredFrames ... max(host, minimumPreferredFrames)
    let frameCount = powerOfTwo(within: limits, configuration)
    return LV2BlockLengths(shape: .exactly(frameCount: frameCount), longest: host)
  }

  /// No known plugin rejects this length.
  private static let minimumPreferredFrames = 64

  /// Returns a power of two between limits that contain one: one that divides the host's block if possible,
  /// otherwise the longest.
  private static func powerOfTwo(
    within limits: ClosedRange<Int>, _ configuration: NodeConfiguration
  ) -> Int {
    let host = configuration.maximumFrameCount
    let longest = limits.upperBound.lastPowerOfTwo
    let piece = min(host & -host, longest)
    if configuration.hasConstantBlocks, piece >= limits.lowerBound { return piece }
    return min(max(host, limits.lowerBound).lastPowerOfTwo, longest)
  }

  /// Returns the lengths with another nominal length, from 1 to the maximum; nil if a guarantee forbids it.
  func withNominalLength(_ frameCount: Int) -> LV2BlockLengths? {
    guard shape == nil, 1 ... maximumFrameCount ~= frameCount else { return nil }
    var blocks = self
    blocks.nominalFrameCount = frameCount
    return blocks
  }

  /// Returns power-of-two lengths for a plugin that requires them.
  private static func powerOfTwoShape(
    _ host: Int, isConstant: Bool, isFixed: Bool, wouldBeFixed: Bool
  ) -> BlockConstraint {
    if isConstant, host.isPowerOfTwo, wouldBeFixed { return .exactly(frameCount: host) }
    // The longest power of two that divides the host's block is the shortest piece.
    let shortest = host & -host
    if isConstant, host.isPowerOfTwo || shortest >= minimumPieceFrames {
      return isFixed ? .exactly(frameCount: shortest) : .powerOfTwo(upTo: host.lastPowerOfTwo)
    }
    return .exactly(frameCount: max(host, minimumPieceFrames).lastPowerOfTwo)
  }
}

extension Int {
  /// Whether a number is a power of two. [any]
  fileprivate var isPowerOfTwo: Bool { self > 0 && nonzeroBitCount == 1 }

  /// The greatest power of two that is not greater; for numbers from 1. [any]
  fileprivate var lastPowerOfTwo: Int { 1 << (Int.bitWidth - 1 - leadingZeroBitCount) }

  /// The smallest power of two that is not less; for numbers from 1 to 2^62. [any]
  var nextPowerOfTwo: Int { self <= 1 ? 1 : (self - 1).lastPowerOfTwo << 1 }
}
