// RigAutomationTests.swift: the automation of a rig, and its errors. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct `A rig's automation` {
  private let rig = EchoRig(key: "automation")

  @Test func `is read with units, shapes and a loop`() throws {
    let plan = try rig.plan(
      """
        - parameter: e.1.mix
          time_unit: beats
          loop_length: 8
          points: [[0, 10 %], [4, 60], [6, 20, step], [8, 80, exponential]]
        - {parameter: e.1.cutoff, points: [[0.5, 200 Hz], [2, 2 kHz, exponential]]}
        - {parameter: e.1.mute, points: [[0, on], [1.5, off]]}
        - {parameter: e.1.taps, points: [[0, 1], [3, 8]]}
      """)
    typealias Point = AutomationLane.Point
    #expect(
      plan.nodes[0].lanes == [
        AutomationLane(
          parameter: 0, clock: .beats,
          points: [
            Point(time: 0, value: 10), Point(time: 4, value: 60),
            Point(time: 6, value: 20, shape: .step),
            Point(time: 8, value: 80, shape: .exponential),
          ], loop: 8),
        AutomationLane(
          parameter: 1,
          points: [
            Point(time: 0.5, value: 200), Point(time: 2, value: 2_000, shape: .exponential),
          ]),
        AutomationLane(
          parameter: 2,
          points: [
            Point(time: 0, value: 1, shape: .step), Point(time: 1.5, value: 0, shape: .step),
          ]),
        AutomationLane(
          parameter: 3, points: [Point(time: 0, value: 1), Point(time: 3, value: 8)], isWhole: true),
      ])
  }

  @Test func `seconds may have a unit or the form of a clock`() throws {
    func lanes(_ times: String...) throws -> [AutomationLane] {
      let points = times.dropLast().enumerated().map { "[\($1), \($0)]" }.joined(separator: ", ")
      return try rig.plan(
        "  - {parameter: e.1.mix, points: [\(points)], loop_length: \(times.last ?? "")}"
      )
      .nodes[0].lanes
    }
    #expect(
      try lanes("0 s", "250 ms", "1.5 min", "1:40.5", "1:00:00", "2 h")
        == lanes("0", "0.25", "90", "100.5", "3600", "7200"))
  }

  @Test func `survives writing and reading`() throws {
    let read = try rig.read(
      """
        - {parameter: e.1.mix, time_unit: beats, loop_length: 9, points: [[0, "10 %"], [4.25, 60, step]]}
        - parameter: e.1.mute
          points: [[0, on], [1, off], [2, on], [3, off], [4, on], [1e2, off]]
      """)
    let again = try RigReader.read(text: RigWriter.text(of: read), file: "rig.yaml")
    func bare(_ lanes: [RigLane]) -> [RigLane] {
      lanes.map { lane in
        var lane = lane
        lane.position = .unknown
        for index in lane.points.indices { lane.points[index].position = .unknown }
        return lane
      }
    }
    #expect(bare(again.automation) == bare(read.automation))
    #expect(read.automation.count == 2)
  }

  @Test(
    arguments: [
      ("  reverb.mix", "automation: expected a list of lanes, found \"reverb.mix\""),
      ("  - [1]", "automation[1]: expected a lane, found a list"),
      ("  - {parameter: e.1.mix}", "automation[1].points: required key is missing"),
      ("  - {points: [[0, 1]]}", "automation[1].parameter: required key is missing"),
      (
        "  - {parameter: e.1.mix, points: [[0, 1]], unit: beats}",
        "automation[1].unit: unknown key. Known keys: parameter, time_unit, points, loop_length."
      ),
      (
        "  - {parameter: mix, points: [[0, 1]]}",
        "\"mix\" is not a parameter. Write NODE.PARAMETER"
      ),
      (
        "  - {parameter: e.1.mix, time_unit: bars, points: [[0, 1]]}",
        "automation[1].time_unit: unknown value \"bars\". Known values: seconds, beats."
      ),
      (
        "  - {parameter: e.1.mix, time_unit: beat, points: [[0, 1]]}",
        "unknown value \"beat\". Did you mean \"beats\"?"
      ),
      ("  - {parameter: e.1.mix, points: []}", "a lane needs at least one point"),
      ("  - {parameter: e.1.mix, points: [[0]]}", "points[1]: a point has a time, a value"),
      (
        "  - {parameter: e.1.mix, points: [[0, 1], [2, 3, linaer]]}",
        "points[2][3]: unknown value \"linaer\". Did you mean \"linear\"?"
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, 1, step], [2, 3]]}",
        "the first point cannot have a shape"
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, 1], [2, 3], [2, 4]]}",
        "points[3]: the times of points must increase, but 2 follows 2. For a jump, add the shape"
          + " \"step\""
      ),
      (
        "  - {parameter: e.1.mix, points: [[-1, 1]]}",
        "points[1][1]: -1 is out of range (0"
      ),
      (
        "  - {parameter: e.1.mix, time_unit: beats, points: [[0, 1], [2 s, 3]]}",
        "points[2][1]: \"2 s\" is in seconds, but \"time_unit: beats\" needs beats."
      ),
      (
        "  - {parameter: e.1.mix, points: [[soon, 1]]}",
        "points[1][1]: expected a time, found \"soon\""
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, 1], [4, 3]], loop_length: 3}",
        "loop_length: 3 ends before the point at 4. Use at least 4."
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, 1]], loop_length: 0}",
        "loop_length: 0 is out of range (0.01"
      ),
      (
        "  - {parameter: e1.mix, points: [[0, 1]]}",
        "automation[1].parameter: no such node: \"e1\". Did you mean \"e.1\"?"
      ),
      (
        "  - {parameter: e.1.mx, points: [[0, 1]]}",
        "automation[1].parameter: e.1 has no parameter mx. Did you mean mix?"
      ),
      (
        "  - {parameter: e.1.wet, points: [[0, 0.4]]}",
        "wet = 0.4 is ambiguous: 0.4 % or 40 %. Write the value with its percent sign."
      ),
      (
        "  - {parameter: e.1.wet, points: [[0, 50], [1, 0, exponential]]}",
        "points[2]: an exponential ramp cannot start or end at 0 %. Use linear"
      ),
      (
        "  - {parameter: e.1.bypass, points: [[0, maybe]]}",
        "points[1]: invalid value for bypass: maybe. Use on or off."
      ),
      (
        "  - {parameter: e.1.bypass, points: [[0, on], [1, off, linear]]}",
        "points[2]: bypass is a switch, so its shape cannot be linear."
      ),
      (
        "  - {parameter: e.1 -> out.mix, points: [[0, 1]]}",
        "parameter: only the gain of a connection can be automated. Write \"e.1 -> out.gain\"."
      ),
      (
        "  - {parameter: e.2 -> out.gain, points: [[0, 1]]}",
        "parameter: no connection leads from e.2 to out. Did you mean e.1 -> out?"
      ),
      (
        "  - {parameter: e.1 -> out.gain, points: [[0, 1]]}",
        "parameter: e.1 -> out is part of a chain, which has no gain. Write it as a separate connection"
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, 1]]}\n  - {parameter: e.1.Mix, points: [[0, 1]]}",
        "automation[2].parameter: e.1.Mix already has a lane in line 5. Remove one."
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, 1], [1, 101]]}",
        "points[2]: mix = 101 is not an allowed value. Allowed: 0 to 100 %."
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, a lot]]}",
        "points[1]: mix = a lot is not a number. Allowed: 0 to 100 %."
      ),
      (
        "  - {parameter: e.1.mix, points: [[0, 0], [1, 40, exponential]]}",
        "points[2]: an exponential ramp cannot go from 0 % to 40 %, because it cannot reach or"
          + " cross 0. Use linear"
      ),
      (
        "  - {parameter: e.1.pan, points: [[0, -1], [1, 1, exponential]]}",
        "an exponential ramp cannot go from -1 to 1"
      ),
      (
        "  - {parameter: e.1.mute, points: [[0, off], [1, on, linear]]}",
        "e.1.mute has no values in between, so its shape cannot be linear. Use step."
      ),
    ])
  func `with an error is reported with its location and the accepted form`(
    lanes: String, message: String
  ) throws {
    let complaint = try rig.complaint(lanes)
    #expect(complaint.contains(message), "\(complaint)")
    #expect(complaint.hasPrefix("rig.yaml:"))
  }
}
