// PlayerNode.swift: a node that plays audio files. SPDX-License-Identifier: MIT

import Glibc
package import PluginModel

/// Plays files, which its own thread reads ahead; audio that is not available in time is silent.
///
/// A file at the graph's rate is played bit for bit at a gain of 0 dB. If no sound card waits, the
/// node waits for the disk.
package final class PlayerNode: Node {
  package let audioInputCount = 0
  package let audioOutputCount: Int
  package let latencyFrames = 0
  package let canRunInPlace = false
  /// The playback of the files. [main]
  package let playback: Playback
  private let isOffline: Bool
  private var gainDecibels: Float = 0

  /// Creates a player without open files. [main]
  package init(_ request: PlayerSettings, _ configuration: NodeConfiguration) {
    audioOutputCount = request.channelCount
    isOffline = configuration.isOffline
    playback = Playback(
      request, sampleRateHz: configuration.sampleRateHz,
      blockFrames: configuration.maximumFrameCount, isOffline: configuration.isOffline)
  }

  deinit { playback.stop() }

  package var step: NodeStep {
    NodeStep(
      function: isOffline ? playerOfflineStep : playerStep,
      context: UnsafeMutableRawPointer(playback.state))
  }

  /// Opens the first file and reads its beginning. [main, inactive]
  ///
  /// - Throws: `AudioFileError` if the first file is unusable.
  package func activate() throws {
    playback.setGainImmediately()
    try playback.start()
  }

  /// Closes the files. [main, not rendering]
  package func deactivate() { playback.stop() }

  /// The playback, and the transfer to another player. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities.stateTransfer = self
    capabilities[Playback.self] = playback
    return capabilities
  }

  /// Does nothing: a reset must not change the playback. [main]
  package func reset() {}

  /// Sets the gain, the only parameter there is, in decibels; it glides. [main]
  package func setParameter(_ index: Int, to value: Float) {
    gainDecibels = value
    playback.setGain(value <= PlayerSettings.gainDecibels.lowerBound ? 0 : powf(10, value / 20))
  }

  /// The gain in decibels. [main]
  package func parameter(_ index: Int) -> Float { gainDecibels }
}

extension PlayerNode: StateTransferNode {
  /// Continues at the position of another player of the same files. [main]
  package func copyState(from other: any Node) {
    guard let other = other.capabilities[Playback.self], other.request == playback.request else {
      return
    }
    playback.resume(as: other.progress)
  }
}
