// RecorderNode.swift: a node that records its inputs to a file. SPDX-License-Identifier: MIT

package import PluginModel
import RealtimeKit

/// Writes its inputs to a file, which grows from the node's activation to its deactivation.
///
/// The render thread copies each block into a ring and never waits; a thread of the recording's own
/// writes it. Frames that find no room are silent in the file, so that it keeps time.
package final class RecorderNode: Node {
  package let audioInputCount: Int
  package let audioOutputCount = 0
  package let latencyFrames = 0
  package let canRunInPlace = false
  /// How the file goes. [main]
  package let recording: Recording
  private let isOffline: Bool

  /// A recorder whose file is not begun yet. [main]
  package convenience init(_ request: RecorderSettings, _ configuration: NodeConfiguration) {
    self.init(request, configuration, ringSeconds: Recording.usualRingSeconds)
  }

  /// The same with a ring of another length. [main]
  package init(
    _ request: RecorderSettings, _ configuration: NodeConfiguration, ringSeconds: Double
  ) {
    audioInputCount = request.channelCount
    isOffline = configuration.isOffline
    recording = Recording(
      request, sampleRateHz: configuration.sampleRateHz,
      // A block of any length finds room in it once the writer has been there.
      ringFrameCount: max(
        Int(configuration.sampleRateHz * ringSeconds), 2 * configuration.maximumFrameCount))
  }

  deinit {
    recording.stop()
  }

  package var step: NodeStep {
    NodeStep(
      function: isOffline ? recorderOfflineStep : recorderStep,
      context: UnsafeMutableRawPointer(recording.ring))
  }

  /// Begins the file. [main, inactive]
  ///
  /// - Throws: `AudioFileError` where it cannot be begun.
  package func activate() throws {
    try recording.start()
  }

  /// Ends the file when all is written; waits for a stalled disk no longer than
  /// `Recording.patienceSeconds`. [main, not rendering]
  package func deactivate() {
    recording.stop()
  }

  /// The recording, and the transfer to another recorder. [main]
  package var abilities: NodeAbilities {
    var abilities = NodeAbilities()
    abilities.stateTransfer = self
    abilities[Recording.self] = recording
    return abilities
  }

  /// Has no effect: recorded audio remains. [main]
  package func reset() {}

  /// Never called: there is nothing to set. [main]
  package func setParameter(_ index: Int, to value: Float) {
    preconditionFailure("this node has no parameters")
  }

  /// Never called: there is nothing to read. [main]
  package func parameter(_ index: Int) -> Float {
    preconditionFailure("this node has no parameters")
  }
}

extension RecorderNode: StateTransferNode {
  /// Continues another recorder of the same settings, whose rate may differ: in a further take,
  /// because a file has one rate. [main, neither rendering]
  package func adoptState(of other: any Node) {
    guard let other = other.abilities[Recording.self], other.request == recording.request else {
      return
    }
    recording.proceed(as: other)
  }
}
