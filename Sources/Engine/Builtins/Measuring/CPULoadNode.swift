// CPULoadNode.swift: simulates plugins that use processor time. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
import Synchronization

/// A node without audio that spends a share of each block's time, and measures the lateness of
/// blocks.
package final class CPULoadNode: ParameterlessNode {
  package let audioInputCount = 0
  package let audioOutputCount = 0
  package let latencyFrames = 0
  package let canRunInPlace = false
  private let state: UnsafeMutablePointer<CPULoadNodeState>

  /// Creates a node that spends a fraction `load` of the time, 0 to 1, on a device with `periodCount`
  /// periods. [main]
  package init(load: Double, periodCount: Int, _ configuration: NodeConfiguration) {
    state = .allocate(capacity: 1)
    state.initialize(
      to: CPULoadNodeState(
        BusyLoopSchedule(
          sampleRateHz: configuration.sampleRateHz, load: load, periodCount: periodCount)))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  package var step: NodeStep {
    NodeStep(function: loadStep, context: UnsafeMutableRawPointer(state))
  }

  package func reset() {}

  /// The most by which a block began later than its predecessor allows, since the last call. [main]
  package func takeMaximumLatenessSeconds() -> Double {
    Double(state.pointee.worstLateness.exchange(0, ordering: .relaxed)) / 1e9
  }
}
