// LiveSession+NodeLoads.swift: what the nodes of a running rig cost. SPDX-License-Identifier: MIT

import AudioDriver
import FoundationEssentials
import Glibc
import PluginModel
package import RenderGraph
import Rig

extension LiveSession {
  /// A node, and what it cost since the last time that was asked.
  package struct NodeLoad: Sendable, Equatable {
    /// Its name in the rig.
    package var name: String
    /// What it is.
    package var plugin: String
    /// Share of the period, all instances together: in the mean, what 99 of 100 blocks stayed below, and
    /// the longest; 1 is all of it.
    package var mean: Double
    package var percentile: Double
    package var worst: Double
    /// Highest level of its outputs, linear.
    package var peak: Float
    /// Frames by which it delays the sound.
    package var latencyFrames: Int
    /// How often it was found at fault.
    package var faultCount: Int
    /// What the last of them was; nil where there was none.
    package var lastFault: NodeFault?
  }

  /// So long after the last question it is measured no more.
  private static let measuringSeconds = 5.0

  /// What the nodes cost since the last call, in the order of the rig. [main]
  ///
  /// The first call begins to measure, and knows of no block yet.
  package func nodeLoads() -> [NodeLoad] {
    measuredUntil = ProcessInfo.processInfo.systemUptime + Self.measuringSeconds
    let times = Dictionary(
      graph.editor.takeTimes().map { (ObjectIdentifier($0.node), $0.times) }
    ) { first, _ in first }
    if !graph.editor.measuresNodes { graph.editor.measuresNodes = true }
    let blockNanoseconds = Double(stream.blockFrames) / stream.sampleRateHz * 1e9
    return graph.members.map { member in
      let own = member.nodes.compactMap { times[ObjectIdentifier($0)] }
      func share(_ nanoseconds: (NodeTimes) -> Double) -> Double {
        own.reduce(0) { $0 + nanoseconds($1) } / blockNanoseconds
      }
      return NodeLoad(
        name: member.name, plugin: member.plugin.identifier, mean: share(\.meanNanoseconds),
        percentile: share(\.percentileNanoseconds), worst: share(\.worstNanoseconds),
        peak: own.map(\.peak).max() ?? 0, latencyFrames: member.nodes.first?.latencyFrames ?? 0,
        faultCount: faults.times[member.name]?.count ?? 0,
        lastFault: faults.times[member.name] == nil ? nil : faults.kinds[member.name])
    }
  }

  /// Ends the measuring where nobody has asked for some time.
  func endIdleMeasuring() {
    guard realTimeWatch == nil, blackBoxWatch.folder == nil, graph.editor.measuresNodes,
      ProcessInfo.processInfo.systemUptime > measuredUntil
    else {
      return
    }
    graph.editor.measuresNodes = false
  }
}
