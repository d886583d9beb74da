// RigPlanTests.swift: channels of connections, and values of parameters. SPDX-License-Identifier: MIT

import AudioDriver
import ModuleHost
import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct RigPlanTests {
  // MARK: - Channels

  @Test func `equal channel counts connect one to one`() throws {
    let plan = try plan([stereo("a")], "in -> a -> out", inputs: 2, outputs: 2)
    #expect(links(plan) == ["in1>a1", "in2>a2", "a1>out1", "a2>out2"])
  }

  @Test func `one channel connects to all`() throws {
    let plan = try plan([stereo("a")], "in -> a -> out", inputs: 1, outputs: 2)
    #expect(links(plan) == ["in1>a1", "in1>a2", "a1>out1", "a2>out2"])
  }

  @Test func `all channels connect to one as their mean`() throws {
    let plan = try plan([stereo("a")], "in -> a -> out", inputs: 2, outputs: 1)
    #expect(links(plan) == ["in1>a1", "in2>a2", "a1>out1*0.5", "a2>out1*0.5"])
  }

  @Test(arguments: [
    (["{from: in, to: out, delay: 3 ms}"], [false]),
    (["in -> a -> b -> out", "{from: a, to: b, delay: 3 ms}"], [false]),
    (["in -> a -> b -> out", "{from: b, to: a, delay: 3 ms}"], [true]),
    (["in -> a -> out", "{from: a, to: a, delay: 3 ms}"], [true]),
    (["{from: a, to: b, delay: 3 ms}", "{from: b, to: c, delay: 1 ms}", "c -> a"], [true, true]),
    (
      ["a -> b -> c", "{from: b, to: a, delay: 3 ms}", "{from: b, to: c, delay: 1 ms}"],
      [true, false]
    ),
  ])
  func `a delay allows a loop at the connection that closes it`(
    connections: [String], loops: [Bool]
  ) throws {
    let plugins = ["a", "b", "c"].map { plugin($0, 1, 1) }
    let plan = try plan(rig(plugins, connections), plugins, 1, 1)
    let delayed = plan.links.filter { $0.delaySeconds != nil }
    #expect(delayed.map(\.closesLoop) == loops)
    #expect((plan.shortestLoopSeconds != nil) == loops.contains(true))
  }

  @Test func `a gain is in decibels, and off is silence`() throws {
    var rig = try rig([stereo("a")], "in -> a", "a -> out:1")
    rig.connections[1].gainDecibels = -20
    #expect(
      links(try plan(rig, [stereo("a")], 2, 2)).suffix(2) == ["a1>out1*0.05", "a2>out1*0.05"])
    rig.connections[1].gainDecibels = -.infinity
    #expect(try plan(rig, [stereo("a")], 2, 2).links.last?.gain == 0)
  }

  private static let advice = "Name the channels in a rig, e.g."

  @Test(arguments: [
    (2, 3, "a has 2 channels and b has 3. \(advice) a -> b:1-2."),
    (3, 2, "a has 3 channels and b has 2. \(advice) a:1-2 -> b."),
    (0, 2, "a has no audio outputs, so it cannot feed b."),
    (2, 0, "b has no audio inputs, so a cannot feed it."),
    (0, 0, "a has no audio outputs, so it cannot feed b."),
    (0, 1, "a has no audio outputs, so it cannot feed b."),
    (1, 0, "b has no audio inputs, so a cannot feed it."),
  ])
  func `channel counts that do not match are refused with matching ones`(
    outputs: Int, inputs: Int, message: String
  ) throws {
    let plugins = [plugin("a", 2, outputs), plugin("b", inputs, 2)]
    #expect(try mistakes(plugins, "a -> b") == ["rig.yaml:5: connections[1]: \(message)"])
  }

  @Test func `a recorder of the command line is not named as a node`() throws {
    let plugins = [plugin("a", 2, 3), plugin("b", 2, 2)]
    var rig = try rig(plugins, "a -> b")
    rig.nodes[1].name = "--record"
    rig.connections[0].to.location = .node("--record")
    let error = #expect(throws: ManifestError.self) { try plan(rig, plugins, 2, 2) }
    #expect(
      error?.diagnostics.map(\.description) == [
        "rig.yaml:5: connections[1]: a has 3 channels, but the file of --record began with 2. Start the session again"
          + " to record all of them."
      ])
  }

  @Test func `numbered channels keep their order`() throws {
    let plan = try plan([stereo("a")], "in:2,1 -> a", "a:2 -> out:1", inputs: 2, outputs: 2)
    #expect(links(plan) == ["in2>a1", "in1>a2", "a2>out1"])
  }

  @Test(arguments: [
    ("in:3 -> a", "The input has only 2 channels. Channels are numbered from 1."),
    ("a -> out:2", "The output has only 1 channel. Channels are numbered from 1."),
    (
      "in -> a:3", "a has no such port among its audio inputs. Known ports: left_in, right_in."
    ),
    (
      "a:middle -> out",
      "a has no such port among its audio outputs. Known ports: left_out, right_out."
    ),
  ])
  func `an unknown channel or port is refused with the existing ones`(
    connection: String, message: String
  ) throws {
    #expect(
      try mistakes([stereo("a")], connection, inputs: 2, outputs: 1)
        == ["rig.yaml:5: connections[1]: \(message)"])
  }

  @Test func `a direction without devices is reported`() throws {
    #expect(
      try mistakes([stereo("a")], "in -> a", inputs: 0, outputs: 2)
        == [
          "rig.yaml:5: connections[1]: No input is open to feed a. Add an input to the rig, or use"
            + " --in."
        ])
    #expect(
      try mistakes([stereo("a")], "a -> out", inputs: 2, outputs: 0)
        == ["rig.yaml:5: connections[1]: No output is open for a."])
  }

  // MARK: - Groups

  @Test func `ports of a side-chain group are connected only by name`() throws {
    let comp = sideChained("comp")
    #expect(
      links(try plan([comp], "in -> comp -> out", inputs: 2, outputs: 2))
        == ["in1>comp1", "in2>comp2", "comp1>out1", "comp2>out2"])
    #expect(
      links(try plan([comp], "in:1 -> comp:sidechain", inputs: 2, outputs: 2)) == ["in1>comp3"])
    #expect(
      links(try plan([comp], "in:1 -> comp:Key Input", inputs: 2, outputs: 2)) == ["in1>comp3"])
    #expect(links(try plan([comp], "in:1 -> comp:key", inputs: 2, outputs: 2)) == ["in1>comp3"])
    #expect(links(try plan([comp], "in:1 -> comp:3", inputs: 2, outputs: 2)) == ["in1>comp3"])
    #expect(
      links(try plan([comp], "in -> comp:MAIN", inputs: 2, outputs: 2))
        == ["in1>comp1", "in2>comp2"])
  }

  // MARK: - Instances

  @Test func `a mono plugin runs once for each channel of its input`() throws {
    let plan = try plan(
      [mono("a"), mono("b")], "in -> a -> b -> out", inputs: 3, outputs: 3)
    #expect(plan.nodes.map(\.instanceCount) == [3, 3])
    #expect(links(plan).prefix(4) == ["in1>a1", "in2>a2", "in3>a3", "a1>b1"])
  }

  @Test func `the order of nodes in the rig does not change the number of instances`() throws {
    let plan = try plan(
      [mono("last"), mono("first")], "first -> last -> out", "in -> first", inputs: 2, outputs: 2)
    #expect(plan.nodes.map(\.instanceCount) == [2, 2])
  }

  @Test func `a plugin set to one instance gets the mean of its channels`() throws {
    var rig = try rig([mono("a")], "in -> a -> out")
    rig.nodes[0].instanceCount = 1
    let plan = try plan(rig, [mono("a")], 2, 2)
    #expect(links(plan) == ["in1>a1*0.5", "in2>a1*0.5", "a1>out1", "a1>out2"])
  }

  @Test func `a numbered channel adds no instance`() throws {
    let plan = try plan([mono("a")], "in:1 -> a:1 -> out", inputs: 2, outputs: 2)
    #expect(plan.nodes[0].instanceCount == 1)
  }

  @Test func `instances of a stereo plugin are numbered port by port`() throws {
    var rig = try rig([stereo("a")], "in:3 -> a:3", "a:right_out -> out")
    rig.nodes[0].instanceCount = 2
    #expect(links(try plan(rig, [stereo("a")], 4, 2)) == ["in3>a3", "a2>out1", "a4>out2"])
  }

  // MARK: - The rig's own inputs and outputs

  @Test(
    arguments: [
      ("in -> out", 2, 2), ("in -> out", 1, 1), ("in -> m -> out", 1, 1), ("in -> m -> out", 3, 3),
      ("in -> s -> out", 1, 2), ("in -> s -> out:5", 2, 5), ("in -> s", 2, 0),
      ("in:1 -> out", 2, 1),
    ])
  func `an output without a channel count has that of its connections`(
    connection: String, inputs: Int, outputs: Int
  ) throws {
    let plugins = [mono("m"), stereo("s")]
    let plan = try RigPlan(
      rig(plugins, connection), plugins: plugins, inputChannelCount: inputs,
      outputChannelCount: nil)
    #expect(plan.outputChannelCount == outputs)
  }

  @Test func `a rig with two inputs on a mono device gets it on both`() throws {
    var rig = try rig([stereo("a")], "in:1 -> a:1", "in:2 -> a:2", "in -> out")
    rig.inputs = [RigDevice(DeviceRequest(device: "default", channelCount: 2))]
    let plan = try plan(rig, [stereo("a")], 1, 2)
    #expect(links(plan) == ["in1>a1", "in1>a2", "in1>out1", "in1>out2"])
    rig.inputs[0].request.channelCount = nil
    #expect(throws: ManifestError.self) { try RigTests.plan(rig, [stereo("a")], 1, 2) }
  }

  // MARK: - Size

  @Test func `a rig of a thousand nodes is planned`() throws {
    let plugins = (0 ..< 1_000).map { mono("n\($0)") }
    let chain = plugins.map(\.name).reversed().joined(separator: " -> ")
    let plan = try plan(plugins, "in -> \(chain) -> out", inputs: 2, outputs: 2)
    #expect(plan.links.count == 2_002)
    #expect(plan.nodes.allSatisfy { $0.instanceCount == 2 })
  }
}

/// Reads a rig with nodes of the plugins' names.
func rig(_ plugins: [PluginDescription], _ connections: String...) throws -> RigDescription {
  try rig(plugins, connections)
}

func rig(_ plugins: [PluginDescription], _ connections: [String]) throws -> RigDescription {
  let nodes = plugins.map { "\($0.name): {plugin: \($0.name)}" }.joined(separator: ", ")
  let lines = connections.map { "- \($0)" }.joined(separator: "\n")
  return try RigReader.read(
    text: "outboard: 1\n\nnodes: {\(nodes)}\nconnections:\n\(lines)\n", file: "rig.yaml")
}

func plan(
  _ rig: RigDescription, _ plugins: [PluginDescription], _ inputs: Int, _ outputs: Int
) throws -> RigPlan {
  try RigPlan(
    rig, plugins: plugins, inputChannelCount: inputs, outputChannelCount: outputs)
}

func plan(
  _ plugins: [PluginDescription], _ connections: String..., inputs: Int, outputs: Int
) throws -> RigPlan {
  try plan(rig(plugins, connections), plugins, inputs, outputs)
}

/// The messages about a rig that is refused.
func mistakes(
  _ plugins: [PluginDescription], _ connections: String..., inputs: Int = 2, outputs: Int = 2
) throws -> [String] {
  let rig = try rig(plugins, connections)
  do {
    _ = try plan(rig, plugins, inputs, outputs)
    return []
  } catch let error as ManifestError {
    return error.diagnostics.map(\.description)
  }
}

/// Links as `from>to*gain`, with channels counted from 1; a gain of 1 is omitted.
func links(_ plan: RigPlan) -> [String] {
  plan.links.map { link in
    let from = (link.from.node.map { plan.nodes[$0].name } ?? "in") + "\(link.from.index + 1)"
    let to = (link.to.node.map { plan.nodes[$0].name } ?? "out") + "\(link.to.index + 1)"
    return "\(from)>\(to)" + (link.gain == 1 ? "" : "*\(link.gain)")
  }
}

func plugin(_ name: String, _ inputs: Int, _ outputs: Int) -> PluginDescription {
  var plugin = PluginDescription(kind: .module, identifier: "test.\(name)", name: name)
  plugin.audioInputs = (0 ..< inputs).map {
    AudioPort(symbol: "in_\($0 + 1)", name: "In \($0 + 1)")
  }
  plugin.audioOutputs = (0 ..< outputs).map {
    AudioPort(symbol: "out_\($0 + 1)", name: "Out \($0 + 1)")
  }
  return plugin
}

func mono(_ name: String) -> PluginDescription { plugin(name, 1, 1) }

func stereo(_ name: String) -> PluginDescription {
  var plugin = plugin(name, 2, 2)
  for (index, side) in ["left", "right"].enumerated() {
    plugin.audioInputs[index].symbol = "\(side)_in"
    plugin.audioOutputs[index].symbol = "\(side)_out"
  }
  return plugin
}

func sideChained(_ name: String) -> PluginDescription {
  var plugin = stereo(name)
  for index in 0 ..< 2 { plugin.audioInputs[index].group = "main" }
  plugin.audioInputs.append(AudioPort(symbol: "key", name: "Key Input", group: "sidechain"))
  return plugin
}
