// Program.swift: the graph as the audio thread sees it. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime

/// A flat array of steps, run in order.
///
/// Immutable; its memory belongs to a `CompiledGraph`.
package struct Program: BitwiseCopyable {
  /// The first step.
  let steps: UnsafePointer<crealtime_step>
  /// How many steps there are.
  let stepCount: Int
  /// How far its fades have come; nil where nothing fades.
  let progress: UnsafeMutablePointer<FadeProgress>?

  /// Runs every step once for a block of `frameCount` frames. [render]
  @_noLocks
  func run(_ frameCount: UInt32) {
    for index in 0 ..< stepCount {
      crealtime_run_step(steps + index, frameCount)
    }
    progress?.pointee.advance(Int(frameCount))
  }
}
