// FeedbackSuppressor.swift: keeps a loop through the air from howling. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
package import PluginModel
import Synchronization

/// Listens to what is captured and takes a howl out of what is played.
///
/// It stands between the graph and the device. While there is no howl its outputs are its inputs to
/// the bit. A captured tone that grows as a loop makes it grow is taken out of the output by a
/// notch; if it then falls, it was the loop's, and the notch is held for seconds, then slowly taken
/// away; if not, it is an instrument or a voice, and is left alone. Clipping that no tone explains,
/// and more howls than notches can answer, turn the whole output down. There is no latency.
///
/// The step's inputs are the graph's outputs, then the captured channels.
package final class FeedbackSuppressor: ParameterlessNode {
  package let audioInputCount: Int
  package let audioOutputCount: Int
  package let latencyFrames = 0
  package let canRunInPlace = true
  private let microphones: [Int]
  private let state: UnsafeMutablePointer<FeedbackSuppressorState>

  /// A guard over so many outputs, 1 or more, and captured channels, 1 or more. [main]
  ///
  /// `microphones` are the captured channels that are analysed, at least one; nil for all.
  package init(
    captureCount: Int, outputCount: Int, microphones: [Int]? = nil,
    _ configuration: NodeConfiguration
  ) {
    precondition(captureCount > 0 && outputCount > 0, "a loop has two ends")
    let microphones = microphones ?? Array(0 ..< captureCount)
    precondition(!microphones.isEmpty && microphones.allSatisfy((0 ..< captureCount).contains))
    self.microphones = microphones
    audioInputCount = outputCount + captureCount
    audioOutputCount = outputCount
    state = .allocate(capacity: 1)
    state.initialize(
      to: FeedbackSuppressorState(
        captureCount: captureCount, outputCount: outputCount, microphones: microphones,
        sampleRateHz: configuration.sampleRateHz))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  package var step: NodeStep {
    NodeStep(function: howlGuardStep, context: UnsafeMutableRawPointer(state))
  }

  package func reset() {
    let (captures, outputs) = (state.pointee.captureCount, state.pointee.outputCount)
    let rate = Double(state.pointee.sampleRateHz)
    state.deinitialize(count: 1)
    state.initialize(
      to: FeedbackSuppressorState(
        captureCount: captures, outputCount: outputs, microphones: microphones, sampleRateHz: rate))
  }

  /// How often it did something since the start, whether it was fetched or not. [main]
  package var reportCount: Int { state.pointee.count.load(ordering: .relaxed) }

  /// What it did since the last time, oldest first. [main]
  package func takeReports() -> [FeedbackEvent] {
    let start = state.pointee.read.load(ordering: .relaxed)
    // Pairs with the releasing store in `FeedbackSuppressorState.tell`.
    let end = state.pointee.written.load(ordering: .acquiring)
    let taken = (start ..< end).map {
      state.pointee.reports[$0 & (FeedbackSuppressorState.reportCapacity - 1)]
    }
    // Pairs with the acquiring load in `FeedbackSuppressorState.tell`.
    state.pointee.read.store(end, ordering: .releasing)
    return taken
  }
}
