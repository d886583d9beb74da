// RigWriter+Automation.swift: a rig's lanes and scenes as they are written. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension RigWriter {
  /// Writes a lane; if it has many points, each on a separate line.
  static func lane(_ lane: RigLane, _ names: [String: String]) -> [String] {
    let target = "\(self.target(lane.node, names)).\(lane.symbol)"
    var lines = ["  - parameter: \(YAMLText.scalar(target))"]
    if lane.clock != .seconds { lines.append("    time_unit: \(lane.clock.rawValue)") }
    if let loop = lane.loop { lines.append("    loop_length: \(plain(loop))") }
    let points = lane.points.map(point)
    guard points.count > 4 else {
      return lines + ["    points: [\(points.joined(separator: ", "))]"]
    }
    return lines + ["    points:"] + points.map { "      - \($0)" }
  }

  /// A node, or a connection by its ends, by the names that they are written with.
  private static func target(_ name: String, _ names: [String: String]) -> String {
    if let written = names[name] { return written }
    guard ConnectionSpecifier.matches(name) else { return name }
    let ends = name.replacing("->", with: ">").split(separator: ">").map { end in
      let parts = end.split(separator: ":", maxSplits: 1)
      let node = parts.first.map { String($0).trimmed } ?? ""
      return ([names[node] ?? node] + parts.dropFirst().map(String.init)).joined(separator: ":")
    }
    return ends.joined(separator: " -> ")
  }

  private static func point(_ point: RigLane.Point) -> String {
    let shape = point.shape.map { [$0.rawValue] } ?? []
    return YAMLText.list([plain(point.time), point.text] + shape)
  }

  /// A scene, a line for each value.
  static func scene(_ scene: RigScene, _ names: [String: String]) -> [String] {
    var lines = ["  \(YAMLText.scalar(scene.name)):"]
    if let seconds = scene.overSeconds { lines.append("    over: \(plain(seconds)) s") }
    if let program = scene.program { lines.append("    program: \(program)") }
    if scene.isComplete { lines.append("    complete: true") }
    lines += scene.values.map { value in
      var target = value.symbol
      if let (node, symbol) = RigLane.split(target) {
        target = "\(self.target(node, names)).\(symbol)"
      }
      return "    \(YAMLText.scalar(target)): \(YAMLText.scalar(value.text))"
    }
    // Nothing under a name would not be read again.
    return lines.count > 1 ? lines : ["  \(YAMLText.scalar(scene.name)): {}"]
  }
}
