// ModuleRequirements.swift: what a native module asks of its host. SPDX-License-Identifier: MIT

/// The keys of a module's manifest that concern how it is called.
package struct ModuleRequirements: Sendable, Equatable {
  /// Which block lengths `process` can be given.
  package enum Block: Sendable, Equatable {
    /// Any length from 1 to the maximum.
    case any
    /// Exactly this number of frames each time.
    case fixed(frameCount: Int)
    /// Any multiple of this number of frames.
    case multiple(of: Int)
    /// Any length up to this number of frames.
    case maximum(frameCount: Int)
  }

  /// The block lengths that a module may ask for, in frames.
  package static let blockFrames = 1 ... 65_536
  /// The longest ramp that it may ask for, in seconds.
  package static let longestSmoothingSeconds = 10.0

  /// The sample rates that a module may ask for, in Hz.
  package static let rateHz = 1_000 ... 1_536_000

  /// The only sample rates at which it works, in Hz, ascending; empty if it works at any.
  ///
  /// At other rates the host resamples and reports the delay.
  package var ratesHz: [Int] = []
  /// Which block lengths it can be given; the host re-blocks and reports the delay.
  package var block: Block = .any
  /// For each parameter, in the order of the manifest, the time over which the host ramps a change,
  /// in seconds; 0 for none.
  package var smoothingSeconds: [Double] = []
  /// Whether inputs and outputs may be the same memory.
  package var canRunInPlace = false
  /// Whether there can be one instance alone, as it keeps its state in globals.
  package var isSingle = false

  /// The rate at which it runs in a graph of another: the same, or the next one above, or the highest. [any]
  package func rateHz(in graphRateHz: Double) -> Double {
    guard !ratesHz.isEmpty else { return graphRateHz }
    return ratesHz.map(Double.init).first { $0 >= graphRateHz } ?? ratesHz.last.map(Double.init)
      ?? graphRateHz
  }

  /// Any block length, any rate, no smoothing, separate buffers.
  package init() {}
}
