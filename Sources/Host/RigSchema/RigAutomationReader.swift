// RigAutomationReader.swift: a rig's lanes. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

/// Reads the automation lanes of a rig.
enum RigAutomationReader {
  private static let laneKeys = ["parameter", "time_unit", "points", "loop_length"]
  private static let laneExample =
    "automation: [{parameter: reverb.mix, points: [[0, 10], [4, 60]]}]"
  private static let pointExample = "[4, 60 %, exponential]"
  /// Three years, in seconds.
  private static let longestTime = 1e8
  /// Less would be a tone, not a movement.
  private static let shortestLoop = 0.01

  /// The lanes that can be read.
  static func readAutomation(_ cursor: ManifestCursor) -> [RigLane] {
    let expected = ExpectedValue(what: "a list of lanes", example: laneExample)
    return (cursor.items(expected) ?? []).compactMap(readLane)
  }

  private static func readLane(_ cursor: ManifestCursor) -> RigLane? {
    let expected = ExpectedValue(
      what: "a lane", example: "{parameter: reverb.mix, points: [[0, 10], [4, 60]]}")
    guard let fields = cursor.fields(known: laneKeys, expected) else { return nil }
    let target = fields.required("parameter", example: "parameter: reverb.mix").flatMap(readTarget)
    let clock =
      fields["time_unit"].flatMap {
        $0.word(
          among: AutomationLane.TimeBase.allCases.map(\.rawValue),
          ExpectedValue(what: "seconds or beats", example: "time_unit: beats"))
      }
      .flatMap(AutomationLane.TimeBase.init) ?? .seconds
    let points = fields.required("points", example: "points: [[0, 10], [4, 60]]")
      .map { readPoints($0, clock) }
    let loop = fields["loop_length"].flatMap { readLoop($0, clock, after: points?.last?.time ?? 0) }
    guard let target, let points, !points.isEmpty else { return nil }
    var lane = RigLane(node: target.node, symbol: target.symbol, points: points)
    lane.clock = clock
    lane.loop = loop
    lane.position = fields["parameter"]?.node.position ?? cursor.node.position
    lane.keyPath = cursor.keyPath
    return lane
  }

  /// Splits a node and its parameter at the last dot, because names of nodes may contain dots.
  private static func readTarget(_ cursor: ManifestCursor) -> (node: String, symbol: String)? {
    let expected = ExpectedValue(
      what: "a node and its parameter", example: "parameter: reverb.mix")
    guard let text = cursor.text(expected) else { return nil }
    guard let target = RigLane.split(text) else {
      cursor.report(
        .broken(
          rule: "\"\(text.shortened)\" is not a parameter. Write NODE.PARAMETER, as in"
            + " reverb.mix."))
      return nil
    }
    return target
  }

  private static func readPoints(
    _ cursor: ManifestCursor, _ clock: AutomationLane.TimeBase
  ) -> [RigLane.Point] {
    let expected = ExpectedValue(what: "a list of points", example: "points: [[0, 10], [4, 60]]")
    guard let items = cursor.items(expected) else { return [] }
    if items.isEmpty {
      cursor.report(
        .broken(rule: "a lane needs at least one point, as in \"points: [[0, 10], [4, 60]]\"."))
    }
    var points: [RigLane.Point] = []
    for (index, item) in items.enumerated() {
      guard let point = readPoint(item, clock, isFirst: index == 0) else { continue }
      if let last = points.last, point.time <= last.time {
        item.report(
          .broken(
            rule: "the times of points must increase, but \(plain(point.time)) follows"
              + " \(plain(last.time)). For a jump, add the shape \"step\"."))
        continue
      }
      points.append(point)
    }
    return points
  }

  private static func readPoint(
    _ cursor: ManifestCursor, _ clock: AutomationLane.TimeBase, isFirst: Bool
  ) -> RigLane.Point? {
    let expected = ExpectedValue(
      what: "a time, a value and a shape", example: pointExample)
    guard let items = cursor.items(expected) else { return nil }
    guard 2 ... 3 ~= items.count else {
      cursor.report(
        .broken(
          rule: "a point has a time, a value and optionally a shape, as in"
            + " \"\(pointExample)\"."))
      return nil
    }
    let time = readTime(items[0], clock, ExpectedValue(what: "a time", example: pointExample))
    let text = items[1].text(ExpectedValue(what: "a value", example: pointExample))
    var shape: AutomationLane.Shape?
    if items.count == 3 {
      let word = items[2].word(
        among: AutomationLane.Shape.allCases.map(\.rawValue),
        ExpectedValue(what: "a shape", example: pointExample))
      guard let word else { return nil }
      shape = AutomationLane.Shape(rawValue: word)
      if isFirst {
        items[2].report(
          .broken(
            rule: "the first point cannot have a shape. A shape describes the segment that"
              + " leads to its point."))
        return nil
      }
    }
    guard let time, let text else { return nil }
    return RigLane.Point(
      time: time, text: text, shape: shape, position: cursor.node.position)
  }

  /// Reads a time in the unit of the lane; seconds may have a unit or the form `1:30`.
  private static func readTime(
    _ cursor: ManifestCursor, _ clock: AutomationLane.TimeBase, _ expected: ExpectedValue
  ) -> Double? {
    var seconds: Double?
    if case .text(let text, _) = cursor.node.content, Quantity(text)?.unit.isEmpty != true {
      seconds = DurationText.seconds(text)
      if clock == .beats, seconds != nil {
        cursor.report(
          .broken(
            rule: "\"\(text.shortened)\" is in seconds, but \"time_unit: beats\" needs beats."
          ))
        return nil
      }
    }
    guard let time = seconds ?? cursor.number(expected) else { return nil }
    guard 0 ... longestTime ~= time else {
      cursor.report(
        .outOfRange(found: plain(time), minimum: "0", maximum: plain(longestTime)))
      return nil
    }
    return time
  }

  private static func readLoop(
    _ cursor: ManifestCursor, _ clock: AutomationLane.TimeBase, after last: Double
  ) -> Double? {
    let expected = ExpectedValue(what: "the length of the loop", example: "loop_length: 8")
    guard let loop = readTime(cursor, clock, expected) else { return nil }
    guard shortestLoop ... longestTime ~= loop else {
      cursor.report(
        .outOfRange(
          found: plain(loop), minimum: plain(shortestLoop), maximum: plain(longestTime)))
      return nil
    }
    guard loop >= last else {
      cursor.report(
        .broken(
          rule: "\(plain(loop)) ends before the point at \(plain(last)). Use at least"
            + " \(plain(last))."))
      return nil
    }
    return loop
  }
}

extension RigLane {
  /// Splits a text such as `reverb.mix` into the names of a node and a parameter; returns nil for another
  /// text. [any]
  package static func split(_ text: String) -> (node: String, symbol: String)? {
    guard let point = text.lastIndex(of: "."), point != text.startIndex,
      text.index(after: point) != text.endIndex
    else { return nil }
    return (String(text[..<point]), String(text[text.index(after: point)...]))
  }
}
