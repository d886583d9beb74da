// Preflight.swift: whether a plugin survives being used. SPDX-License-Identifier: MIT

package import PluginModel

/// A plugin taken through its life once, in a child process.
package enum Preflight {
  /// What it is tried at: what it will be used at, as some crash at one rate or length alone.
  package struct Conditions: Sendable, Hashable {
    /// Frames a second.
    package var sampleRateHz: Double
    /// The longest block, in frames.
    package var maximumFrameCount: Int

    /// A rate above 0 and a block of at least 1 frame.
    package init(sampleRateHz: Double, maximumFrameCount: Int) {
      self.sampleRateHz = sampleRateHz
      self.maximumFrameCount = maximumFrameCount
    }

    /// Those under which nodes are made.
    package init(_ configuration: NodeConfiguration) {
      self.init(
        sampleRateHz: configuration.sampleRateHz,
        maximumFrameCount: configuration.maximumFrameCount)
    }

    /// What serves where nothing is known of the use.
    package static let usual = Conditions(sampleRateHz: 48_000, maximumFrameCount: 512)

    /// Others than the usual ones as the end of a sentence on a stage that they have to do with.
    func words(for stage: Stage) -> String {
      self == .usual || stage == .load || stage == .destroy
        ? "" : " at \(Int(sampleRateHz.rounded())) Hz with blocks of \(maximumFrameCount) frames"
    }
  }

  /// What was being done.
  package enum Stage: UInt8, Sendable, CaseIterable {
    /// The shared library was loaded.
    case load = 1
    /// The instance was made.
    case create = 2
    /// It was made ready to run.
    case activate = 3
    /// It rendered silence and noise.
    case run = 4
    /// It was taken down.
    case destroy = 5

    /// The stage as the end of a sentence.
    var words: String {
      switch self {
      case .load: "while its library was loaded"
      case .create: "while it was created"
      case .activate: "while it was activated"
      case .run: "while it ran"
      case .destroy: "while it was destroyed"
      }
    }
  }

  /// What a plugin was seen to do that a host has to know.
  package struct Traits: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32
    /// Bits as they are remembered.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// It writes to its input buffers.
    package static let writesInputs = Traits(rawValue: 1)
    /// It makes sound from silence.
    package static let soundsAlone = Traits(rawValue: 2)

    /// What it changes of the process's state: the bits from the 16th on.
    package var changes: ForeignCode.Changes { ForeignCode.Changes(rawValue: rawValue >> 16) }
    /// Traits of a plugin that changes such state.
    package init(changes: ForeignCode.Changes) { rawValue = changes.rawValue << 16 }
  }

  /// How it went.
  package enum Outcome: Sendable, Equatable {
    /// It came through.
    case runs
    /// It declined in good order; the sentence is its own.
    case declined(sentence: String)
    /// It took its process with it, or never came back; the sentence names how and at which stage.
    case failed(stage: Stage, sentence: String)

    /// Why it should not be used, as one sentence; nil if it may be.
    package var refusal: String? {
      switch self {
      case .runs: nil
      case .declined(let sentence), .failed(_, let sentence): sentence
      }
    }
  }

  /// How it went, and what is worth knowing though it went well.
  package struct Result: Sendable, Equatable {
    /// How it went.
    package var outcome: Outcome
    /// One sentence each, with the plugin's name.
    package var remarks: [String]
    /// What the plugin was seen to do.
    package var traits: Traits

    /// An outcome, and what is worth knowing.
    package init(_ outcome: Outcome, remarks: [String] = [], traits: Traits = []) {
      self.outcome = outcome
      self.remarks = remarks
      self.traits = traits
    }
  }
}
