// LatencyProbe.swift: plays a known signal and records the return. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
package import PluginModel
import Synchronization

/// A node that plays a probe signal and records its input from the same frame on.
///
/// One round at a time: call `begin`, wait for `isDone`, take the `recording`. All memory is
/// allocated at its creation.
package final class LatencyProbe: ParameterlessNode {
  package let audioInputCount = 1
  package let audioOutputCount = 1
  package let latencyFrames = 0
  package let canRunInPlace = false
  /// The length of a round, in frames.
  package let roundFrames: Int
  private let state: UnsafeMutablePointer<LatencyProbeState>

  /// A probe that plays `signal` and listens for `longestFrames` after it. [main]
  package init(_ signal: SweepSignal, longestFrames: Int) {
    let count = signal.samples.count
    roundFrames = count + longestFrames
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
    samples.initialize(from: signal.samples, count: count)
    let recording = UnsafeMutablePointer<Float>.allocate(capacity: roundFrames)
    // Initialised, not only reserved, so that the audio thread causes no page fault.
    recording.initialize(repeating: 0, count: roundFrames)
    state = .allocate(capacity: 1)
    state.initialize(
      to: LatencyProbeState(
        signal: samples, signalFrames: count, recording: recording, recordingFrames: roundFrames))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  package var step: NodeStep {
    NodeStep(function: latencyProbeStep, context: UnsafeMutableRawPointer(state))
  }

  package func reset() {
    state.pointee.phase.store(ProbePhase.idle, ordering: .relaxed)
  }

  /// Begins a round with the next block, also in the middle of another one. [main]
  package func begin() {
    // Pairs with the acquiring exchange of the step: the last recording has been read.
    state.pointee.phase.store(ProbePhase.armed, ordering: .releasing)
  }

  /// Whether the round is over. [main]
  package var isDone: Bool {
    state.pointee.phase.load(ordering: .acquiring) == ProbePhase.done
  }

  /// The recording since the signal began, of a completed round. [main]
  package var recording: [Float] {
    precondition(isDone, "a recording is taken when the round is over")
    return Array(UnsafeBufferPointer(start: state.pointee.recording, count: roundFrames))
  }
}
