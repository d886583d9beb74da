// FadeRamp.swift: fades where a stream is cut. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// The length of a fade where audio is cut, in frames.
var edgeFrames: Int { @_noLocks get { 128 } }

/// Scales a range of frames by a ramp.
@_noLocks
func rampEdge(
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ channelCount: Int, from start: Int,
  to end: Int, up: Bool
) {
  let length = Float(end &- start)
  for channel in 0 ..< channelCount {
    let row = rows[channel]
    for frame in start ..< end {
      let progress = Float(frame &- start) / length
      row[frame] *= up ? progress : 1 - progress
    }
  }
}
