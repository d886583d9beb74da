// ModuleRequirements.swift: the requirements of a native module. SPDX-License-Identifier: MIT

/// The keys of a module's manifest that determine how the host calls it.
package struct ModuleRequirements: Sendable, Equatable {
  /// The block lengths that `process` accepts.
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

  /// The range of block lengths that a module may require, in frames.
  package static let blockFrames = 1 ... 65_536
  /// The longest ramp that it may request, in seconds.
  package static let longestSmoothingSeconds = 10.0

  /// The range of sample rates that a module may require, in Hz.
  package static let rateHz = 1_000 ... 1_536_000

  /// The only sample rates at which it works, in Hz, ascending; empty if it works at any.
  ///
  /// At other rates the host resamples and reports the delay.
  package var ratesHz: [Int] = []
  /// The block lengths that it accepts; the host re-blocks and reports the latency.
  package var block: Block = .any
  /// For each parameter, in the order of the manifest, the time over which the host ramps a change,
  /// in seconds; 0 for none.
  package var smoothingSeconds: [Double] = []
  /// Whether inputs and outputs may share memory.
  package var canRunInPlace = false
  /// Whether only one instance can exist, because the module keeps its state in globals.
  package var isSingle = false

  /// Returns the sample rate at which it runs in a graph: the same rate, otherwise the next higher
  /// one, otherwise the highest. [any]
  package func rateHz(in graphRateHz: Double) -> Double {
    guard !ratesHz.isEmpty else { return graphRateHz }
    return ratesHz.map(Double.init).first { $0 >= graphRateHz } ?? ratesHz.last.map(Double.init)
      ?? graphRateHz
  }

  /// Any block length, any rate, no smoothing, separate buffers.
  package init() {}
}
