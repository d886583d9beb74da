// LatencyMonitor.swift: plugins whose delay is not what the rig was lined up for. SPDX-License-Identifier: MIT

import PluginModel
import Rig

/// Looks at what a rig's nodes say of their delay, which a plugin may change at any time.
///
/// While it sounds, what runs beside such a plugin is lined up anew with it; a rendering goes on with the
/// delays that it was compiled with, which a person should know.
struct LatencyMonitor {
  private struct MonitoredNode {
    let name: String
    let node: any Node
    /// What the graph was compiled with.
    let compiledFrames: Int
    /// What it said when it was last looked at.
    var seenFrames: Int
    /// What was last told.
    var toldFrames: Int
  }
  private var nodes: [MonitoredNode]

  /// Watches the nodes of a rig that has just been compiled. [main]
  init(_ members: [BuiltRig.BuiltNode]) {
    nodes = members.flatMap { member in
      member.nodes.map { node in
        let frames = node.latencyFrames
        return MonitoredNode(
          name: member.name, node: node, compiledFrames: frames, seenFrames: frames,
          toldFrames: frames)
      }
    }
  }

  /// Changes since they were last told, one sentence each; a delay that is still moving waits until it
  /// has stayed the same between two looks. [main]
  mutating func takeNotices() -> [String] {
    var notices: [String] = []
    for index in nodes.indices {
      let frames = nodes[index].node.latencyFrames
      let hasSettled = frames == nodes[index].seenFrames
      nodes[index].seenFrames = frames
      guard hasSettled, frames != nodes[index].toldFrames else { continue }
      nodes[index].toldFrames = frames
      notices.append(Self.sentence(nodes[index]))
    }
    // Instances of one node say the same.
    return notices.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// What is different at the end of a rendering, one sentence each. [main]
  func remarks() -> [String] {
    let remarks = nodes.filter { $0.node.latencyFrames != $0.compiledFrames }.map { watched in
      "\(watched.name) changed its latency to \(Self.frames(watched.node.latencyFrames)) from"
        + " \(watched.compiledFrames). The output was aligned to the original latency."
    }
    return remarks.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func sentence(_ watched: MonitoredNode) -> String {
    "\(watched.name) changed its latency to \(frames(watched.seenFrames)). Parallel paths were"
      + " realigned."
  }

  private static func frames(_ count: Int) -> String {
    count == 1 ? "1 frame" : "\(count) frames"
  }
}
