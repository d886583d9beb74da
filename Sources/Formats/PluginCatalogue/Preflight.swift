// Preflight.swift: a short test of a plugin before use. SPDX-License-Identifier: MIT

package import PluginModel

/// The preflight of a plugin: load, create, activate, run and destroy it in a helper process.
package enum Preflight {
  /// The conditions of use.
  ///
  /// Some plugins crash only at one rate or block length.
  package struct Conditions: Sendable, Hashable {
    /// The sample rate in Hz.
    package var sampleRateHz: Double
    /// The maximum block length in frames.
    package var maximumFrameCount: Int

    /// Creates conditions from a rate above 0 and a block length of at least 1 frame.
    package init(sampleRateHz: Double, maximumFrameCount: Int) {
      self.sampleRateHz = sampleRateHz
      self.maximumFrameCount = maximumFrameCount
    }

    /// Creates the conditions of a node configuration.
    package init(_ configuration: NodeConfiguration) {
      self.init(
        sampleRateHz: configuration.sampleRateHz,
        maximumFrameCount: configuration.maximumFrameCount)
    }

    /// The conditions if the use is unknown.
    package static let standard = Conditions(sampleRateHz: 48_000, maximumFrameCount: 512)

    /// Returns unusual conditions as the end of a message about a stage that depends on them.
    func text(for stage: Stage) -> String {
      self == .standard || stage == .load || stage == .destroy
        ? "" : " at \(Int(sampleRateHz.rounded())) Hz with blocks of \(maximumFrameCount) frames"
    }
  }

  /// The stage of a preflight.
  package enum Stage: UInt8, Sendable, CaseIterable {
    /// The shared library was loaded.
    case load = 1
    /// The instance was created.
    case create = 2
    /// The instance was activated.
    case activate = 3
    /// The plugin rendered silence and noise.
    case run = 4
    /// The instance was destroyed.
    case destroy = 5

    /// The stage as the end of a message.
    var text: String {
      switch self {
      case .load: "while its library was loaded"
      case .create: "while it was created"
      case .activate: "while it was activated"
      case .run: "while it ran"
      case .destroy: "while it was destroyed"
      }
    }
  }

  /// Traits of a plugin that the host must know.
  package struct Traits: OptionSet, Sendable, Hashable {
    /// The stored bits.
    package let rawValue: UInt32
    /// Creates traits from stored bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The plugin outputs audio while its input is silent.
    package static let generatesAudio = Traits(rawValue: 2)

    /// The process state that it changes: bits from the 16th on.
    package var changes: ForeignCode.Changes { ForeignCode.Changes(rawValue: rawValue >> 16) }
    /// Creates the traits of a plugin that changes process state.
    package init(changes: ForeignCode.Changes) { rawValue = changes.rawValue << 16 }
  }

  /// The outcome of a preflight.
  package enum Outcome: Sendable, Equatable {
    /// The plugin passed.
    case passed
    /// The plugin failed without a crash, with its own message.
    case skipped(message: String)
    /// The plugin crashed, exited or hung; the message names the cause and the stage.
    case failed(stage: Stage, message: String)

    /// The reason not to use it, as a message; nil if it may be used.
    package var refusal: String? {
      switch self {
      case .passed: nil
      case .skipped(let message), .failed(_, let message): message
      }
    }
  }

  /// The result of a preflight.
  package struct Result: Sendable, Equatable {
    /// The outcome.
    package var outcome: Outcome
    /// Messages with the plugin's name.
    package var remarks: [String]
    /// The traits of the plugin.
    package var traits: Traits

    /// Creates a result.
    package init(_ outcome: Outcome, remarks: [String] = [], traits: Traits = []) {
      self.outcome = outcome
      self.remarks = remarks
      self.traits = traits
    }
  }
}

extension Preflight.Traits {
  /// The changes that a plugin made in this process.
  package init(changesOf plugin: PluginDescription) {
    self.init(
      changes: ForeignCode.changes(by: plugin.name)
        .union(ForeignCode.changes(by: plugin.library)))
  }
}
