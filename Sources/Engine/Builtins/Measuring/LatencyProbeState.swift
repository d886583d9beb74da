// LatencyProbeState.swift: the audio thread's part of a latency probe. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import CRealtime
import Synchronization

/// The phase of a round of a latency probe.
enum ProbePhase {
  /// Silence is played, nothing is recorded.
  static var idle: UInt32 { @_noLocks get { 0 } }
  /// The round begins with the next block.
  static var armed: UInt32 { @_noLocks get { 1 } }
  /// The signal is played, or its return is awaited.
  static var running: UInt32 { @_noLocks get { 2 } }
  /// The recording is complete, and the main thread's.
  static var done: UInt32 { @_noLocks get { 3 } }
}

/// A latency probe as its step sees it.
struct LatencyProbeState: ~Copyable {
  let signal: UnsafeMutablePointer<Float>
  let signalFrames: Int
  let recording: UnsafeMutablePointer<Float>
  let recordingFrames: Int
  /// A `ProbePhase`: the main thread arms, the render thread continues from there.
  let phase = Atomic<UInt32>(0)
  /// The number of frames of this round; owned by the render thread.
  var position = 0

  deinit {
    signal.deallocate()
    recording.deallocate()
  }
}

/// Plays the signal to the output and records the input, from the same frame on. [render]
@_noLocks @c(outboard_latency_probe_step)
func latencyProbeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let probe = context.assumingMemoryBound(to: LatencyProbeState.self)
  crealtime_zero(buffers[1], frameCount)
  // A round that is armed again while it runs is restarted.
  if probe.pointee.phase.compareExchange(
    expected: ProbePhase.armed, desired: ProbePhase.running, ordering: .acquiring
  ).exchanged {
    probe.pointee.position = 0
  }
  guard probe.pointee.phase.load(ordering: .relaxed) == ProbePhase.running else { return }
  let position = probe.pointee.position
  let remainingSignalFrames = min(Int(frameCount), probe.pointee.signalFrames &- position)
  if remainingSignalFrames > 0 {
    crealtime_copy(
      buffers[1], probe.pointee.signal + position, UInt32(truncatingIfNeeded: remainingSignalFrames)
    )
  }
  let missing = min(Int(frameCount), probe.pointee.recordingFrames &- position)
  crealtime_copy(
    probe.pointee.recording + position, buffers[0], UInt32(truncatingIfNeeded: missing))
  probe.pointee.position = position &+ missing
  if probe.pointee.position == probe.pointee.recordingFrames {
    // Pairs with the acquiring load in `LatencyProbe.isDone`; fails if it was armed again meanwhile.
    _ = probe.pointee.phase.compareExchange(
      expected: ProbePhase.running, desired: ProbePhase.done, ordering: .releasing)
  }
}
