// ModuleError+Creation.swift: a failed call of `create`. SPDX-License-Identifier: MIT

package import PluginModel

extension ModuleError {
  /// A call of `create` that returned NULL.
  package struct Creation: Sendable, Equatable, CustomStringConvertible {
    /// The module's name.
    package let name: String
    /// The sample rate in Hz.
    package let sampleRateHz: Double
    /// The maximum block length in frames.
    package let maximumFrameCount: Int
    /// The requirements in its manifest.
    package let requirements: ModuleRequirements
    /// A rate at which it succeeds, in Hz; nil if unknown or irrelevant.
    package let possibleRateHz: Double?
    /// A block length at which it succeeds, in frames; nil if unknown or irrelevant.
    package let possibleFrameCount: Int?

    /// The error message.
    package var description: String {
      "\(name): `create` returned NULL at \(Int(sampleRateHz)) Hz with blocks of \(blocks)\(advice)."
    }

    private var blocks: String {
      switch requirements.block {
      case .fixed: "exactly \(maximumFrameCount) frames"
      case .multiple(let unit): "multiples of \(unit) frames, at most \(maximumFrameCount)"
      case .any, .maximum: "up to \(maximumFrameCount) frames"
      }
    }

    private var advice: String {
      if let known { return known }
      let keys =
        (requirements.ratesHz.isEmpty ? ["`rate: 48000`"] : [])
        + (requirements.block == .any ? ["`block: {fixed: 480}`"] : [])
      guard !keys.isEmpty else {
        return
          ", as declared in its manifest. The cause is something else, such as memory"
          + " or a missing file"
      }
      return
        ". If it needs a certain rate or block length, declare that in its manifest, e.g."
        + " \(keys.joined(separator: " or "))"
    }

    /// The conditions under which it succeeds.
    private var known: String? {
      let rate = possibleRateHz.map { (" at \(Int($0)) Hz", "`rate: \(Int($0))`") }
      let block = possibleFrameCount.map {
        (" with blocks of \($0) frames", "`block: {fixed: \($0)}`")
      }
      let found = [rate, block].compactMap(\.self)
      guard !found.isEmpty else { return nil }
      return
        " and succeeds\(found.map(\.0).joined()). Declare \(found.map(\.1).joined(separator: " and "))"
        + " in its manifest"
    }
  }
}
