// RecorderNode.swift: a node that records its inputs to a file. SPDX-License-Identifier: MIT

package import PluginModel
import RealtimeKit

/// Writes its inputs to a file, from the node's activation to its deactivation.
///
/// The render thread copies each block into a ring and never waits; a separate thread writes it.
/// Frames that do not fit into the ring are silent in the file, so that it stays aligned.
package final class RecorderNode: Node {
  package let audioInputCount: Int
  package let audioOutputCount = 0
  package let latencyFrames = 0
  package let canRunInPlace = false
  /// The state of the file. [main]
  package let recording: Recording
  private let isOffline: Bool

  /// Creates a recorder without a file. [main]
  package convenience init(_ request: RecorderSettings, _ configuration: NodeConfiguration) {
    self.init(request, configuration, ringSeconds: Recording.defaultRingSeconds)
  }

  /// Creates a recorder with another ring length. [main]
  package init(
    _ request: RecorderSettings, _ configuration: NodeConfiguration, ringSeconds: Double
  ) {
    audioInputCount = request.channelCount
    isOffline = configuration.isOffline
    recording = Recording(
      request, sampleRateHz: configuration.sampleRateHz,
      // A block of any length fits once the writer has emptied the ring.
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

  /// Creates the file. [main, inactive]
  ///
  /// - Throws: `AudioFileError` if the file cannot be created.
  package func activate() throws {
    try recording.start()
  }

  /// Ends the file when all is written; waits for a stalled disk no longer than
  /// `Recording.timeoutSeconds`. [main, not rendering]
  package func deactivate() {
    recording.stop()
  }

  /// The recording, and the transfer to another recorder. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities.stateTransfer = self
    capabilities[Recording.self] = recording
    return capabilities
  }

  /// Has no effect: recorded audio remains. [main]
  package func reset() {}

  /// Never called, because there are no parameters. [main]
  package func setParameter(_ index: Int, to value: Float) {
    preconditionFailure("this node has no parameters")
  }

  /// Never called, because there are no parameters. [main]
  package func parameter(_ index: Int) -> Float {
    preconditionFailure("this node has no parameters")
  }
}

extension RecorderNode: StateTransferNode {
  /// Continues another recorder of the same settings, whose rate may differ: in a further take,
  /// because a file has one rate. [main, neither rendering]
  package func copyState(from other: any Node) {
    guard let other = other.capabilities[Recording.self], other.request == recording.request else {
      return
    }
    recording.continueRecording(as: other)
  }
}
