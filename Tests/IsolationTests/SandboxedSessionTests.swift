// SandboxedSessionTests.swift: sessions and rigs with sandboxes. SPDX-License-Identifier: MIT

import DummyDriver
import Foundation
import Glibc
import LV2Fixtures
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigTestSupport
import TestWaits
import Testing

@testable import Isolation
@testable import RigSchema
@testable import Session

@Suite(.serialized) struct `A session with a sandbox` {
  private let sampler = "http://lv2plug.in/plugins/eg-sampler"

  private func prepared(
    _ workshop: RigTestEnvironment, _ node: String, _ connections: String = "in -> node -> out"
  ) throws -> PreparedRig {
    let rig = try workshop.rig(
      """
      period: 2048
      input: dummy
      output: dummy
      nodes: {node: {\(node)}}
      connections: [\(connections)]
      """)
    return try PreparedRig(rig, workshop.library)
  }

  private func session(
    _ workshop: RigTestEnvironment, _ node: String, _ connections: String = "in -> node -> out"
  ) throws -> LiveSession {
    try LiveSession(prepared(workshop, node, connections), workshop.library) {
      try DummyDriver(request: $0)
    }
  }

  private func node(_ session: LiveSession) throws -> IsolatedNode {
    try #require(session.graph.members[0].nodes[0].inside.capabilities[IsolatedNode.self])
  }

  @Test func `plans a worker process of its own`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    for isolation in ["", ", isolate: auto", ", isolate: own"] {
      let plan = try prepared(workshop, "plugin: outboard.gain, sandbox: on\(isolation)").plan()
      #expect(plan.nodes[0].isSandboxed)
      #expect(plan.nodes[0].isolation == .own)
    }
    #expect(
      try !prepared(workshop, "plugin: outboard.gain, sandbox: off").plan().nodes[0].isSandboxed)
  }

  @Test(arguments: [
    (
      "plugin: outboard.gain, sandbox: on, isolate: off",
      "node has a sandbox, but `isolate: off` runs it in the host. Remove one of the two."
    ),
    (
      "plugin: outboard.gain, sandbox: on, isolate: band",
      "node has a sandbox, which it cannot share with the group band. Remove one of the two."
    ),
    ("plugin: outboard.gain, sandbox: maybe", "on or off"),
    ("plugin: outboard.gain, sandbox: [on]", "on or off"),
    ("builtin: mixer, channels: 2, sandbox: on", "Remove `sandbox`."),
  ])
  func `is refused with one message`(node: String, text: String) throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let error = #expect(throws: (any Error).self) { try prepared(workshop, node).plan() }
    #expect(error.map { "\($0)".contains(text) } == true, "\(String(describing: error))")
  }

  @Test func `is written into rig files`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let rig = try prepared(workshop, "plugin: outboard.gain, sandbox: on").rig
    #expect(RigWriter.node(rig.nodes[0], [:]).contains("    sandbox: on"))
  }

  @Test func `reports each kind of refusal once, although the node is re-created`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(askingSource(secret: "/nonexistent"), as: "asking.c")
    let session = try session(workshop, "plugin: \"\(path)\", sandbox: on")
    try session.start()
    defer { session.stop() }
    var refusals: [NodeRefusal] = []
    func waitForRefusals(_ count: Int) throws {
      let deadline = Deadline()
      while refusals.count < count {
        refusals += try session.report().refusals
        try deadline.rest()
      }
    }
    _ = try session.set("node", to: [("ask", "\(Ask.socket.rawValue)")])
    try waitForRefusals(1)
    #expect(
      refusals.map(\.text) == [
        "node (asking) was refused: it tried to open a network connection. Use `sandbox: off` only if"
          + " you trust the plugin."
      ])
    #expect(refusals[0].refusal.call == "socket")
    let process = try node(session).worker.process
    kill(process, SIGKILL)
    let deadline = Deadline()
    while try node(session).worker.process == process {
      refusals += try session.report().refusals
      try deadline.rest()
    }
    _ = try session.set("node", to: [("ask", "\(Ask.fork.rawValue)")])
    try waitForRefusals(2)
    #expect(refusals.map(\.refusal.kind) == [.network, .process])
    #expect(session.nodeLoads().map(\.isSandboxed) == [true])
  }

  @Test func `gives a node another sandbox for the file of a property`() throws {
    let workshop = try RigTestEnvironment(bundles: ["eg-sampler.lv2"])
    let session = try session(
      workshop, "plugin: \"\(sampler)\", sandbox: on", "\"in:midi -> node\", node -> out")
    try session.start()
    defer { session.stop() }
    let sample = workshop.path + "/sample.wav"
    try FloatWave(
      channels: [[Float](repeating: 0.25, count: 48_000)], sampleRateHz: 48_000
    ).write(to: sample)
    let process = try node(session).worker.process
    _ = try session.set("node", to: [("\(sampler)#sample", sample)])
    #expect(try node(session).worker.process != process)
    #expect(try node(session).canRead(.path(sample)))
    // The plugin has loaded it: its state contains a copy.
    let state = workshop.path + "/state"
    let deadline = Deadline()
    while !FileManager.default.fileExists(atPath: state + "/sample.wav") {
      _ = try session.report()
      _ = try node(session).saveState(to: state)
      try deadline.rest()
    }
    let refusals = try node(session).refusals
    #expect(refusals == [])
    // A file of the same name is another one.
    try FileManager.default.removeItem(atPath: sample)
    try "no sound".write(toFile: sample, atomically: true, encoding: .utf8)
    #expect(try !node(session).canRead(.path(sample)))
    // The state is restored from a place that the sandbox does not contain.
    try node(session).restoreState(from: state)
  }

  @Test func `keeps the state of a worker process that ended`() throws {
    let workshop = try RigTestEnvironment(bundles: ["eg-sampler.lv2"])
    let session = try session(
      workshop, "plugin: \"\(sampler)\", sandbox: on", "\"in:midi -> node\", node -> out")
    try session.start()
    defer { session.stop() }
    let old = try node(session)
    let folder = try #require(old.kept)
    let deadline = Deadline()
    while folder.path(.newer) == nil {
      _ = try session.report()
      try deadline.rest()
    }
    kill(old.worker.process, SIGKILL)
    while try node(session) === old {
      _ = try session.report()
      try deadline.rest()
    }
    #expect(try #require(node(session).kept).directory != folder.directory)
    #expect(try #require(node(session).kept).path(.newer) != nil)
    let refusals = try node(session).refusals
    #expect(refusals == [])
  }
}
