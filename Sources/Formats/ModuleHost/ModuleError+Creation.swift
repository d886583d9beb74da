// ModuleError+Creation.swift: what is known where `create` returns NULL. SPDX-License-Identifier: MIT

package import PluginModel

extension ModuleError {
  /// A call of `create` that returned NULL.
  package struct Creation: Sendable, Equatable, CustomStringConvertible {
    /// The module's name.
    package let name: String
    /// The rate it was given, in Hz.
    package let sampleRateHz: Double
    /// The longest block it was given, in frames.
    package let maximumFrameCount: Int
    /// What its manifest declares.
    package let requirements: ModuleRequirements
    /// A rate at which it succeeds, in Hz; nil if none is known, or the rate is not the reason.
    package let possibleRateHz: Double?
    /// A block length with which it succeeds, in frames; nil likewise.
    package let possibleFrameCount: Int?

    /// One sentence for people.
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

    /// What was found to succeed.
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
