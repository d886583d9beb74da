// RenderSequence.swift: the compiled graph that the audio thread renders. SPDX-License-Identifier:
// MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime

/// A flat array of steps, run in order.
///
/// It is immutable, except for the steps of nodes that are bypassed because of a fault. Its memory
/// belongs to a `CompiledGraph`.
package struct RenderSequence: BitwiseCopyable {
  /// The first step.
  let steps: UnsafeMutablePointer<crealtime_step>
  /// The number of steps.
  let stepCount: Int
  /// The steps that are called once before the first block, for 0 frames.
  let preboundSteps: UnsafeMutablePointer<crealtime_step>
  /// The number of these steps.
  let beginningCount: Int
  /// The progress of its fades; nil if nothing fades.
  let progress: UnsafeMutablePointer<FadeProgress>?
  /// Keeps node faults inaudible; nil if nodes are not guarded.
  let nodeGuard: UnsafeMutablePointer<NodeGuard>?
  /// The tasks that may be rendered in parallel; nil if there is only one.
  let tasks: UnsafeMutablePointer<RenderTaskList>?

  /// Passes the nodes their buffers, before the first block. [render]
  @_noLocks
  func begin() {
    crealtime_run_steps(preboundSteps, preboundSteps + beginningCount, 0)
  }

  /// Runs every step once for a block of `frameCount` frames, on several threads if that is faster.
  /// [render]
  @_noLocks
  func run(_ frameCount: UInt32, by pool: UnsafeMutablePointer<RenderThreadPool>?) {
    let watch = nodeGuard?.pointee.begin() ?? WatchedNodes()
    if let tasks, let pool {
      tasks.pointee.block = TaskBlock(steps, nodeGuard, watch, frameCount)
      RenderThreadPool.run(pool, tasks)
    } else if let nodeGuard {
      nodeGuard.pointee.run(watch, steps, 0, stepCount, firstNode: 0, frameCount)
    } else {
      crealtime_run_steps(steps, steps + stepCount, frameCount)
    }
    nodeGuard?.pointee.end(watch, steps, frameCount)
    progress?.pointee.advance(Int(frameCount))
  }
}
