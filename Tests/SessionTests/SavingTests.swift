// SavingTests.swift: commands to a running rig, and saved rigs. SPDX-License-Identifier: MIT

import DummyDriver
import Foundation
import PluginModel
import RigSchema
import RigTestSupport
import Session
import Testing

@Suite final class `A running rig` {
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "outboard-saving-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  private func session(_ workshop: RigTestEnvironment, _ rig: RigDescription) throws -> LiveSession
  {
    try LiveSession(try PreparedRig(rig, workshop.library), workshop.library) {
      try DummyDriver(request: $0)
    }
  }

  @Test func `a value is parsed as in a rig and saved in that form`() throws {
    let workshop = try RigTestEnvironment(modules: ["reverb", "gain"])
    let session = try session(
      workshop, try workshop.chain("outboard.reverb", "mix=30", "outboard.gain"))
    try session.start()
    defer { session.stop() }
    let names = session.nodeValues.map(\.name)
    let notes = try session.set(
      names[0].uppercased(), to: [("mix", "45 %"), ("decay", "2500 ms"), ("size", "1e9")])
    #expect(notes.count == 1 && notes[0].contains("above the maximum"), "\(notes)")
    let path = directory.appending(path: "mine.yaml").path
    try session.save(to: path, replaces: false)

    let again = try self.session(workshop, try RigReader.read(path: path))
    #expect(again.nodeValues.map(\.values) == session.nodeValues.map(\.values))
    #expect(again.nodeValues.map(\.plugin.identifier) == ["outboard.reverb", "outboard.gain"])
    let reverb = again.nodeValues[0]
    let values = Dictionary(
      uniqueKeysWithValues: zip(reverb.plugin.parameters.map(\.symbol), reverb.values))
    #expect(values["mix"] == 45 && values["decay"] == 2.5)
  }

  @Test func `nothing is set if one of several values is wrong`() throws {
    let workshop = try RigTestEnvironment(modules: ["reverb"])
    let session = try session(workshop, try workshop.chain("outboard.reverb", "mix=30"))
    let before = session.nodeValues
    let name = before[0].name
    #expect {
      try session.set(name, to: [("mix", "50"), ("decya", "2"), ("decay", "long")])
    } throws: { error in
      "\(error)".contains("Did you mean decay?")
        && "\(error)".contains("decay = long is not a number")
    }
    #expect(session.nodeValues == before)
    #expect {
      try session.set("revreb", to: [("mix", "50")])
    } throws: { "\($0)".contains("No such node: revreb. ") }
  }

  @Test func `a saved rig does not replace another file unasked`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let session = try session(workshop, try workshop.chain("outboard.gain"))
    let path = directory.appending(path: "mine.yaml").path
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(throws: SaveError.exists(path: path)) {
      try session.save(to: path, replaces: false)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    try session.save(to: path, replaces: true)
    #expect(try RigReader.read(path: path).nodes.count == 1)
    let nowhere = directory.appending(path: "none/mine.yaml").path
    #expect(throws: SaveError.noDirectory(path: directory.appending(path: "none").path)) {
      try session.save(to: nowhere, replaces: false)
    }
  }

  @Test func `a rig saved to another directory still finds its module`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let source = """
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; ++i) { out[0][i] = in[0][i]; out[1][i] = in[1][i]; }
      }
      """
    try source.write(
      to: directory.appending(path: "thing.c"), atomically: true, encoding: .utf8)
    let text = """
      outboard: 1
      input: default
      output: default
      nodes: {thing: {plugin: ./thing.c}}
      connections: [in -> thing -> out]
      """
    let first = directory.appending(path: "first.yaml").path
    try text.write(toFile: first, atomically: true, encoding: .utf8)
    let session = try session(workshop, try RigReader.read(path: first))
    // In the same directory the path does not change, so that the directory can be moved.
    #expect(session.rigNow(in: directory.path).nodes[0].source == .plugin("./thing.c"))
    let elsewhere = directory.appending(path: "elsewhere")
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    let path = elsewhere.appending(path: "second.yaml").path
    try session.save(to: path, replaces: false)
    let again = try self.session(workshop, try RigReader.read(path: path))
    #expect(again.nodeValues[0].plugin.identifier == session.nodeValues[0].plugin.identifier)
  }
}
