// LatencyMonitor.swift: detection of latency changes of plugins. SPDX-License-Identifier: MIT

import ErrorModel
import PluginModel
import RigPlanning

/// Watches the latency that the nodes of a rig report, which a plugin can change at any time.
///
/// In a session, parallel paths are realigned. A rendering keeps the compiled latencies, so a change is reported.
struct LatencyMonitor {
  private struct MonitoredNode {
    let name: String
    let node: any Node
    /// The latency in the compiled graph.
    let compiledFrames: Int
    /// The latency at the last poll.
    var seenFrames: Int
    /// The latency in the last message.
    var reportedFrames: Int
  }
  private var nodes: [MonitoredNode]

  /// Watches the nodes of a rig that was just compiled. [main]
  init(_ members: [BuiltRig.BuiltNode]) {
    nodes = members.flatMap { member in
      member.nodes.map { node in
        let frames = node.latencyFrames
        return MonitoredNode(
          name: member.name, node: node, compiledFrames: frames, seenFrames: frames,
          reportedFrames: frames)
      }
    }
  }

  /// Returns the notices about changes since the last call. [main]
  ///
  /// A latency that still changes is reported only when two polls agree.
  mutating func takeNotices() -> [HostNotice] {
    var notices: [HostNotice] = []
    for index in nodes.indices {
      let frames = nodes[index].node.latencyFrames
      let isStable = frames == nodes[index].seenFrames
      nodes[index].seenFrames = frames
      guard isStable, frames != nodes[index].reportedFrames else { continue }
      nodes[index].reportedFrames = frames
      notices.append(.latencyChanged(nodes[index].name, frames: frames))
    }
    // All instances of a node report the same latency.
    return notices.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Returns messages about changes at the end of a rendering. [main]
  func remarks() -> [String] {
    let remarks = nodes.filter { $0.node.latencyFrames != $0.compiledFrames }.map { watched in
      let frames = watched.node.latencyFrames
      let unit = frames == 1 ? "frame" : "frames"
      return "\(watched.name) changed its latency to \(frames) \(unit) from"
        + " \(watched.compiledFrames). The output was aligned to the original latency."
    }
    return remarks.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
