// RigWriter+Automation.swift: a rig's lanes as they are written. SPDX-License-Identifier: MIT

import PluginModel

extension RigWriter {
  /// A lane, its points on a line each where there are many.
  static func lane(_ lane: RigLane, _ names: [String: String]) -> [String] {
    let target = "\(names[lane.node] ?? lane.node).\(lane.symbol)"
    var lines = ["  - parameter: \(YAMLText.scalar(target))"]
    if lane.clock != .seconds { lines.append("    time: \(lane.clock.rawValue)") }
    if let loop = lane.loop { lines.append("    loop: \(plain(loop))") }
    let points = lane.points.map(point)
    guard points.count > 4 else {
      return lines + ["    points: [\(points.joined(separator: ", "))]"]
    }
    return lines + ["    points:"] + points.map { "      - \($0)" }
  }

  private static func point(_ point: RigLane.Point) -> String {
    let shape = point.shape.map { [$0.rawValue] } ?? []
    return YAMLText.list([plain(point.time), point.text] + shape)
  }
}
