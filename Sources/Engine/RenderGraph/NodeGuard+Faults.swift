// NodeGuard+Faults.swift: nodes that output invalid samples. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit
import Synchronization

extension NodeGuard {
  /// Checks a node's outputs.
  ///
  /// Invalid samples and levels above `limit` are silenced, and the node is bypassed unless it
  /// received them. [render, any thread]
  ///
  /// - Returns: the level of the outputs.
  @_noLocks
  func outputPeak(
    at index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32,
    limit: Float, received: Float
  ) -> Float {
    let peak = level(of: index, steps, frameCount)
    guard peak > limit else { return peak }
    silence(index, steps, frameCount)
    hasFound.store(true, ordering: .relaxed)
    guard received <= Self.outputLimit else {
      // Nodes before it that are at fault are silent by now, so the gains of connections are the
      // cause.
      overloaded.store(index &+ 1, ordering: .relaxed)
      silencedBlocks.add(1, ordering: .relaxed)
      return peak
    }
    let step = nodes[index].step
    steps[step] = crealtime_step(
      function: bypassStep, context: UnsafeMutableRawPointer(nodes + index),
      buffers: steps[step].buffers)
    let fault: NodeFault = peak == .infinity ? .invalidSamples : .runaway
    // Pairs with the acquiring exchange in `CompiledGraph.takeFaults`.
    faults[index].store(fault.bits, ordering: .releasing)
    return peak
  }

  /// Returns the highest level of a node's inputs. [render, any thread]
  @_noLocks
  func inputLevel(
    of index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) -> Float {
    let node = nodes[index]
    let inputs = steps[node.step].buffers
    var peak: Float = 0
    for port in 0 ..< node.inputCount where inputs[port] != node.unconnected {
      peak = max(peak, PeakMeter.peak(inputs[port], Int(frameCount)))
    }
    return peak
  }

  /// Returns the highest level of a node's outputs. [render, any thread]
  @_noLocks
  func level(
    of index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) -> Float {
    let node = nodes[index]
    let outputs = steps[node.step].buffers + node.inputCount
    var peak: Float = 0
    for channel in 0 ..< node.outputCount {
      peak = max(peak, PeakMeter.peak(outputs[channel], Int(frameCount)))
    }
    return peak
  }

  /// Silences a node's outputs. [render, any thread]
  @_noLocks
  func silence(
    _ index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    let node = nodes[index]
    silencedOutputs.bitwiseOr(node.reachedOutputs, ordering: .relaxed)
    let outputs = steps[node.step].buffers + node.inputCount
    for channel in 0 ..< node.outputCount { crealtime_zero(outputs[channel], frameCount) }
  }
}
