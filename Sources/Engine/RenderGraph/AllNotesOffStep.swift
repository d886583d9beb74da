// AllNotesOffStep.swift: ends the notes of a node whose keyboard is taken away. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime

/// What the step knows, in memory of the program.
struct AllNotesOffState {
  let function: crealtime_event_function
  let context: UnsafeMutableRawPointer
  var isDone: Bool
}

/// Lets the pedal go and ends all notes on every channel, at the first frame of the program. [render]
@_noLocks @c(outboard_end_notes_step)
func endNotesStep(
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
  // The whole of it: of a pointer to its first byte the compiler knows that no other is read.
  withUnsafePointer(to: &message) {
    crealtime_send_event(
      state.pointee.function, state.pointee.context, 0,
      UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self), 3)
  }
}
