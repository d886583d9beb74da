// BlockConstraint.swift: the block lengths that a plugin supports. SPDX-License-Identifier: MIT

/// A restriction of the block lengths of a plugin.
package enum BlockConstraint: Sendable, Equatable {
  /// Exactly this number of frames.
  case exactly(frameCount: Int)
  /// Multiples of this number of frames.
  case multiple(of: Int)
  /// Powers of two up to this number of frames.
  case powerOfTwo(upTo: Int)

  /// The only length, the factor, or the maximum.
  package var frameCount: Int {
    switch self {
    case .exactly(let frameCount), .multiple(of: let frameCount), .powerOfTwo(let frameCount):
      frameCount
    }
  }

  /// Whether a host block can be passed on without latency, whole or in pieces. [any]
  package func fits(_ hostFrameCount: Int) -> Bool {
    switch self {
    case .exactly(let frameCount), .multiple(of: let frameCount):
      hostFrameCount % frameCount == 0
    case .powerOfTwo: true
    }
  }

  /// The longest block of the plugin if the host's blocks have `hostFrameCount` frames and are suitable.
  /// [any]
  package func maximumLength(for hostFrameCount: Int) -> Int {
    if case .multiple = self, fits(hostFrameCount) { return hostFrameCount }
    return frameCount
  }
}
