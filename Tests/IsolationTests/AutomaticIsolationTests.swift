// AutomaticIsolationTests.swift: plugins that are isolated without a request. SPDX-License-Identifier: MIT

import DummyDriver
import Foundation
import Glibc
import PluginCatalogue
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Isolation
@testable import Session

@Suite(.serialized) struct `Automatic isolation` {
  private let workshop: RigTestEnvironment
  private let memory: FaultMemory

  init() throws {
    workshop = try RigTestEnvironment(modules: ["gain"])
    memory = FaultMemory(directory: workshop.path + "/faults")
    workshop.library.isolationPolicy = IsolationPolicy(faults: memory)
  }

  private func prepared(_ node: String) throws -> PreparedRig {
    let rig = try workshop.rig(
      """
      period: 2048
      input: dummy
      output: dummy
      nodes: {node: {\(node)}}
      connections: [in -> node -> out]
      """)
    return try PreparedRig(rig, workshop.library)
  }

  private func isolation(_ node: String) throws -> (NodeIsolation, IsolationReason?) {
    let planned = try prepared(node).plan().nodes[0]
    return (planned.isolation, planned.isolationReason)
  }

  private func setAge(_ seconds: Double, of path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path)
  }

  @Test func `is off without a reason`() throws {
    #expect(try isolation("plugin: outboard.gain") == (.off, nil))
    let path = try workshop.write(countingSource, as: "old.c")
    try setAge(61, of: path)
    #expect(try isolation("plugin: \"\(path)\"") == (.off, nil))
    // A wrong clock must not isolate a source for ever.
    try setAge(-100, of: path)
    #expect(try isolation("plugin: \"\(path)\"") == (.off, nil))
    workshop.library.isolationPolicy = nil
    try setAge(0, of: path)
    #expect(try isolation("plugin: \"\(path)\"") == (.off, nil))
  }

  @Test func `isolates a plugin that crashed, unless the rig or a rendering says otherwise`() throws
  {
    let plugin = try workshop.library.find("outboard.gain")
    let subject = try #require(workshop.library.faultSubject(of: plugin))
    memory.record(subject, deed: "crashed")
    let (process, reason) = try isolation("plugin: outboard.gain")
    #expect(process == .own)
    guard case .fault("crashed", _) = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
    #expect(try isolation("plugin: outboard.gain, isolate: off") == (.off, nil))
    #expect(try isolation("plugin: outboard.gain, isolate: band") == (.group("band"), nil))
    #expect(try isolation("plugin: outboard.gain, isolate: auto").0 == .own)
    workshop.library.isolationPolicy?.isolates = false
    #expect(try isolation("plugin: outboard.gain") == (.off, nil))
  }

  @Test func `moves a new source into the process of the session after a while`() throws {
    let path = try workshop.write(countingSource, as: "new.c")
    workshop.library.isolationPolicy?.newSeconds = 3
    let session = try LiveSession(try prepared("plugin: \"\(path)\""), workshop.library) {
      try DummyDriver(request: $0)
    }
    try session.start()
    defer { session.stop() }
    func node() -> IsolatedNode? {
      session.graph.members[0].nodes[0].inside.capabilities[IsolatedNode.self]
    }
    #expect(session.notes == ["node runs in a worker process, because its source is new."])
    #expect(node() != nil)
    #expect(session.nodeLoads().map(\.isolation) == [.own])
    var notices: [String] = []
    let deadline = Deadline()
    while notices.isEmpty {
      notices += try session.report().notices.map { "\($0)" }
      try deadline.rest()
    }
    #expect(notices == ["node has worked for a minute and is no longer isolated."])
    #expect(node() == nil)
    #expect(session.nodeLoads().map(\.isolation) == [.off])
    // The state moves with the node.
    let bytes = try #require(session.graph.members[0].nodes[0].inside.capabilities.state?.save())
    #expect(bytes.reversed().reduce(0) { $0 << 8 | Int($1) } > 10_000)
  }

  @Test func `remembers the fault of a new source, and keeps it isolated`() throws {
    let path = try workshop.write(countingSource, as: "new.c")
    let session = try LiveSession(try prepared("plugin: \"\(path)\""), workshop.library) {
      try DummyDriver(request: $0)
    }
    try session.start()
    defer { session.stop() }
    _ = try session.report()
    let node = try #require(
      session.graph.members[0].nodes[0].inside.capabilities[IsolatedNode.self])
    kill(node.worker.process, SIGKILL)
    let deadline = Deadline()
    while memory.takeStock().isEmpty {
      _ = try session.report()
      try deadline.rest()
    }
    #expect(memory.takeStock().map(\.deed) == ["was killed by signal 9"])
    #expect(try isolation("plugin: \"\(path)\"").1?.word == "fault")
    try setAge(1, of: path)
    // Another version of the file.
    #expect(try isolation("plugin: \"\(path)\"").1?.word == "new-source")
  }
}
