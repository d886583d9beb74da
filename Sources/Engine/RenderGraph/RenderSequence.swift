// RenderSequence.swift: the graph as the audio thread sees it. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime

/// A flat array of steps, run in order.
///
/// Immutable but for the steps of nodes that are found at fault; its memory belongs to a `CompiledGraph`.
package struct RenderSequence: BitwiseCopyable {
  /// The first step.
  let steps: UnsafeMutablePointer<crealtime_step>
  /// How many steps there are.
  let stepCount: Int
  /// What is called once before its first block, for 0 frames.
  let beginnings: UnsafeMutablePointer<crealtime_step>
  /// How many of these there are.
  let beginningCount: Int
  /// How far its fades have come; nil where nothing fades.
  let progress: UnsafeMutablePointer<FadeProgress>?
  /// Keeps the faults of nodes from being heard; nil where nobody does.
  let nodeGuard: UnsafeMutablePointer<NodeGuard>?
  /// What may be rendered at the same time; nil for nothing.
  let tasks: UnsafeMutablePointer<RenderTaskList>?

  /// Tells nodes where their buffers are, before the first block. [render]
  @_noLocks
  func begin() {
    crealtime_run_steps(beginnings, beginnings + beginningCount, 0)
  }

  /// Runs every step once for a block of `frameCount` frames, by a crew where there is one and it is worth
  /// it. [render]
  @_noLocks
  func run(_ frameCount: UInt32, by crew: UnsafeMutablePointer<RenderThreadPool>?) {
    let watch = nodeGuard?.pointee.begin() ?? WatchedNodes()
    if let tasks, let crew {
      tasks.pointee.block = TaskBlock(steps, nodeGuard, watch, frameCount)
      RenderThreadPool.run(crew, tasks)
    } else if let nodeGuard {
      nodeGuard.pointee.run(watch, steps, 0, stepCount, firstNode: 0, frameCount)
    } else {
      crealtime_run_steps(steps, steps + stepCount, frameCount)
    }
    nodeGuard?.pointee.end(watch, steps, frameCount)
    progress?.pointee.advance(Int(frameCount))
  }
}
