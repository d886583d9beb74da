// NodeLoadMonitor.swift: the CPU load of nodes. SPDX-License-Identifier: MIT

import AudioDriver
import FoundationEssentials
import Glibc
package import PluginModel
package import RenderGraph
import RigPlanning

/// The load of a node since the last call.
package struct NodeLoad: Sendable, Equatable {
  /// The node's name in the rig.
  package var name: String
  /// The plugin.
  package var plugin: String
  /// The mean share of the period that all instances take together; 1 is the whole period.
  package var mean: Double
  /// The 99th percentile of that share.
  package var percentile: Double
  /// The maximum of that share.
  package var maximum: Double
  /// The highest level of its outputs, linear.
  package var peak: Float
  /// The latency of the node, in frames.
  package var latencyFrames: Int
  /// The number of its faults.
  package var faultCount: Int
  /// The kind of its last fault; nil if there was none.
  package var lastFault: NodeFault?
  /// In which process it runs.
  package var isolation = NodeIsolation.off
  /// Why it is isolated without a request; nil otherwise.
  package var isolationReason: IsolationReason?
  /// Whether its worker process has a sandbox.
  package var isSandboxed = false
}

/// Measures the CPU load of the nodes while it is read. [main]
final class NodeLoadMonitor {
  private let active: ActiveRig
  /// Whether nodes are measured even if nothing reads their load.
  private let isPermanent: Bool
  /// When the measurement ends, in seconds of system uptime.
  private var measuredUntil = 0.0
  /// The highest levels that `takePeaks` has returned since the last `take`.
  private var heldPeaks: [ObjectIdentifier: Float] = [:]

  private var graph: LiveGraph { active.graph }
  private var faults: NodeFaults { active.faults }

  init(_ active: ActiveRig, isPermanent: Bool) {
    (self.active, self.isPermanent) = (active, isPermanent)
  }

  /// The measurement ends this many seconds after the last call.
  private static let measuringSeconds = 5.0

  /// Returns the load of the nodes since the last call, in the order of the rig.
  ///
  /// The first call starts the measurement, and its result covers no block.
  func take() -> [NodeLoad] {
    begin()
    defer { heldPeaks = [:] }
    let times = Dictionary(
      graph.editor.takeTimes().map { (ObjectIdentifier($0.node), $0.times) }
    ) { first, _ in first }
    let blockNanoseconds = Double(active.stream.blockFrames) / active.stream.sampleRateHz * 1e9
    return zip(graph.members, graph.plan.nodes).map { member, planned in
      let nodeTimes = member.nodes.compactMap { times[ObjectIdentifier($0)] }
      func load(_ nanoseconds: (NodeTimes) -> Double) -> Double {
        nodeTimes.reduce(0) { $0 + nanoseconds($1) } / blockNanoseconds
      }
      return NodeLoad(
        name: member.name, plugin: member.plugin.identifier, mean: load(\.meanNanoseconds),
        percentile: load(\.percentileNanoseconds), maximum: load(\.worstNanoseconds),
        peak: max(nodeTimes.map(\.peak).max() ?? 0, held(member)),
        latencyFrames: member.nodes.first?.latencyFrames ?? 0,
        faultCount: faults.times[member.name]?.count ?? 0,
        lastFault: faults.times[member.name] == nil ? nil : faults.kinds[member.name],
        isolation: planned.isolation, isolationReason: planned.isolationReason,
        isSandboxed: planned.isSandboxed)
    }
  }

  /// Returns the highest level of each node since the last call, linear, in the order of the rig.
  ///
  /// The first call starts the measurement. The levels count for the next `take`, too.
  func takePeaks() -> [Float] {
    begin()
    let peaks = Dictionary(
      graph.editor.takePeaks().map { (ObjectIdentifier($0.node), $0.peak) }
    ) { max($0, $1) }
    heldPeaks.merge(peaks) { max($0, $1) }
    return graph.members.map { member in
      member.nodes.compactMap { peaks[ObjectIdentifier($0)] }.max() ?? 0
    }
  }

  private func held(_ member: BuiltRig.BuiltNode) -> Float {
    member.nodes.compactMap { heldPeaks[ObjectIdentifier($0)] }.max() ?? 0
  }

  /// Starts the measurement, or continues it.
  private func begin() {
    measuredUntil = ProcessInfo.processInfo.systemUptime + Self.measuringSeconds
    if !graph.editor.measuresNodes { graph.editor.measuresNodes = true }
  }

  /// Ends a measurement that is no longer read.
  func stopIfIdle() {
    guard !isPermanent, graph.editor.measuresNodes,
      ProcessInfo.processInfo.systemUptime > measuredUntil
    else {
      return
    }
    graph.editor.measuresNodes = false
  }
}
