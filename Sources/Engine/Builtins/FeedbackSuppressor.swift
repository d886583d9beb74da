// FeedbackSuppressor.swift: keeps a loop through the air from howling. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
package import PluginModel
import Synchronization

/// Analyses the captured audio and removes acoustic feedback from the output.
///
/// It runs between the graph and the device. Without feedback its outputs equal its inputs bit for
/// bit. A captured tone that grows like feedback is removed from the output by a notch. If the tone
/// then falls, it was feedback. The notch is held for seconds and then slowly removed. Otherwise
/// the tone is an instrument or a voice and is not changed. Clipping without a tone, or more
/// feedback than notches, reduces the level of the whole output. There is no latency.
///
/// The step's inputs are the graph's outputs, then the captured channels.
package final class FeedbackSuppressor: ParameterlessNode {
  package let audioInputCount: Int
  package let audioOutputCount: Int
  package let latencyFrames = 0
  package let canRunInPlace = true
  private let microphones: [Int]
  private let state: UnsafeMutablePointer<FeedbackSuppressorState>

  /// Creates a suppressor for outputs and captured channels, 1 or more of each. [main]
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
    NodeStep(function: feedbackSuppressorStep, context: UnsafeMutableRawPointer(state))
  }

  package func reset() {
    let (captures, outputs) = (state.pointee.captureCount, state.pointee.outputCount)
    let rate = Double(state.pointee.sampleRateHz)
    state.deinitialize(count: 1)
    state.initialize(
      to: FeedbackSuppressorState(
        captureCount: captures, outputCount: outputs, microphones: microphones, sampleRateHz: rate))
  }

  /// The number of reports since the start, whether they were read or not. [main]
  package var reportCount: Int { state.pointee.count.load(ordering: .relaxed) }

  /// Returns the reports since the last call, oldest first. [main]
  package func takeReports() -> [FeedbackEvent] {
    let start = state.pointee.read.load(ordering: .relaxed)
    // Pairs with the releasing store in `FeedbackSuppressorState.report`.
    let end = state.pointee.written.load(ordering: .acquiring)
    let taken = (start ..< end).map {
      state.pointee.reports[$0 & (FeedbackSuppressorState.reportCapacity - 1)]
    }
    // Pairs with the acquiring load in `FeedbackSuppressorState.report`.
    state.pointee.read.store(end, ordering: .releasing)
    return taken
  }
}
