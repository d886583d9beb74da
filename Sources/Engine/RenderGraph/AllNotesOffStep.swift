// AllNotesOffStep.swift: ends the notes of a node that lost its MIDI source.
// SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime

/// The context of the step, in memory of the render sequence.
struct AllNotesOffState {
  let function: crealtime_event_function
  let context: UnsafeMutableRawPointer
  var isDone: Bool
}

/// Releases the sustain pedal and ends all notes on every channel, at the first frame of the render
/// sequence. [render]
@_noLocks @c(outboard_end_notes_step)
func allNotesOffStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: AllNotesOffState.self)
  guard !state.pointee.isDone else { return }
  state.pointee.isDone = true
  for channel: UInt8 in 0 ..< 16 {
    send(state, channel, controller: 64)
    send(state, channel, controller: 123)
  }
}

@_noLocks
private func send(
  _ state: UnsafeMutablePointer<AllNotesOffState>, _ channel: UInt8, controller: UInt8
) {
  var message: (UInt8, UInt8, UInt8) = (0xB0 | channel, controller, 0)
  // A pointer to the whole message: from a pointer to its first byte the compiler concludes that no
  // other byte is read.
  withUnsafePointer(to: &message) {
    crealtime_send_event(
      state.pointee.function, state.pointee.context, 0,
      UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self), 3)
  }
}
