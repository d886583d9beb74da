// RigParameterTests.swift: assignment of a rig's values to parameters. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct RigParameterTests {
  private var echo: PluginDescription {
    var echo = stereo("echo")
    echo.parameters = [
      Parameter(
        symbol: "time", name: "Delay time", unit: "s", minimum: 0.01, defaultValue: 0.5, maximum: 4),
      Parameter(
        symbol: "mode", name: "Mode", maximum: 1, scale: .integer,
        choices: [.init(value: 0, name: "Stereo"), .init(value: 1, name: "Ping-pong")],
        isEnumeration: true),
      Parameter(symbol: "mute", name: "Mute", scale: .toggle),
    ]
    return echo
  }

  private func plan(_ values: (String, String)...) throws -> RigPlan {
    var rig = try rig([echo], "in -> echo -> out")
    rig.nodes[0].parameters = values.enumerated().map {
      RigParameter(
        symbol: $1.0, text: $1.1, position: SourcePosition(line: 10 + $0, column: 7))
    }
    return try RigPlan(rig, plugins: [echo], inputChannelCount: 2, outputChannelCount: 2)
  }

  @Test(
    arguments: [
      ("time", "0.25", 0, 0.25), ("time", "250 ms", 0, 0.25), ("delay TIME", "1 s", 0, 1),
      ("mode", "ping-pong", 1, 1), ("Mode", "0", 1, 0), ("mute", "on", 2, 1), ("mute", "-0", 2, 0),
    ] as [(String, String, Int, Float)])
  func `a value finds its parameter by symbol or name, in any unit, or by a choice`(
    symbol: String, text: String, place: Int, value: Float
  ) throws {
    let plan = try plan((symbol, text))
    #expect(plan.nodes[0].values == [RigPlan.Value(parameter: place, value: value)])
    #expect(plan.notes.isEmpty)
  }

  @Test func `a value out of range is clamped, with a note that names the node`() throws {
    let plan = try plan(("time", "9"))
    #expect(plan.nodes[0].values == [RigPlan.Value(parameter: 0, value: 4)])
    #expect(plan.notes == ["echo: time = 9 is above the maximum. Using 4 s."])
  }

  @Test func `of two values for one parameter the later is used`() throws {
    let plan = try plan(("time", "1"), ("mute", "on"), ("Delay time", "2"))
    #expect(
      plan.nodes[0].values == [
        RigPlan.Value(parameter: 2, value: 1), RigPlan.Value(parameter: 0, value: 2),
      ])
  }

  @Test func `every error is reported with its line and key and the nearest name`() throws {
    let error = #expect(throws: ManifestError.self) {
      try plan(("tme", "1"), ("mode", "tape"), ("wobble", "3"))
    }
    #expect(
      error?.description == """
        rig.yaml:10: nodes.echo.parameters.tme: echo has no parameter tme. Did you mean time?
        rig.yaml:11: nodes.echo.parameters.mode: mode = tape is not an allowed value. Allowed: \
        Stereo, Ping-pong.
        rig.yaml:12: nodes.echo.parameters.wobble: echo has no parameter wobble; it has time, \
        mode, mute.
        """)
  }

  @Test func `a plugin without parameters is reported as such, one with many with the first dozen`()
    throws
  {
    func message(_ plugin: PluginDescription) throws -> String? {
      var rig = try rig([plugin], "in -> \(plugin.name) -> out")
      rig.nodes[0].parameters = [RigParameter(symbol: "zzzzzz", text: "1")]
      let error = #expect(throws: ManifestError.self) {
        try RigPlan(rig, plugins: [plugin], inputChannelCount: 2, outputChannelCount: 2)
      }
      return error.map { "\($0.diagnostics[0].fault)" }
    }
    #expect(try message(stereo("a")) == "a has no parameters, so zzzzzz cannot be set.")
    var many = stereo("b")
    many.parameters = (1 ... 14).map { Parameter(symbol: "p\($0)", name: "") }
    #expect(
      try message(many) == "b has no parameter zzzzzz; it has p1, p2, p3, p4, p5, p6, p7, p8, p9,"
        + " p10, p11, p12 and 2 more.")
  }
}
