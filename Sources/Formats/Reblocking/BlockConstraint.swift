// BlockConstraint.swift: which block lengths a plugin can be given. SPDX-License-Identifier: MIT

/// The block lengths that a plugin can be given, where it does not take any.
package enum BlockConstraint: Sendable, Equatable {
  /// So many frames each time.
  case exactly(frameCount: Int)
  /// Any multiple of so many frames.
  case multiple(of: Int)
  /// Any power of two up to so many frames, which is one, too.
  case powerOfTwo(upTo: Int)

  /// What blocks are brought to: the only length, the factor, or the longest.
  package var frameCount: Int {
    switch self {
    case .exactly(let frameCount), .multiple(of: let frameCount), .powerOfTwo(let frameCount):
      frameCount
    }
  }

  /// Whether a block of the host can be handed on without delay, whole or in pieces. [any]
  package func fits(_ hostFrameCount: Int) -> Bool {
    switch self {
    case .exactly(let frameCount), .multiple(of: let frameCount):
      hostFrameCount % frameCount == 0
    case .powerOfTwo: true
    }
  }

  /// The longest block that the plugin is given where the host's have `hostFrameCount` frames and
  /// fit. [any]
  package func longest(for hostFrameCount: Int) -> Int {
    if case .multiple = self, fits(hostFrameCount) { return hostFrameCount }
    return frameCount
  }
}
