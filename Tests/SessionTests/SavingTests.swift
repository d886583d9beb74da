// SavingTests.swift: commands to a running rig, and saved rigs. SPDX-License-Identifier: MIT

import AudioDriver
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
      try UnhurriedDriver(request: $0)
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

  // MARK: - In the file that it was read from

  private static let commented = """
    # A voice in a room.
    outboard: 1
    name: Voice
    rate: 48000  # as the card
    input: {device: dummy}
    output: {device: dummy}

    nodes:
      # Small rooms only.
      room:
        plugin: outboard.reverb
        parameters:
          mix: 30 %     # not more on stage
          decay: 1 s
      # The level of the day.
      level: {plugin: outboard.gain}
    connections:
      - in -> room -> level -> out # all of it
    # The end.

    """

  private func commentedFile() throws -> String {
    let path = directory.appending(path: "voice.yaml").path
    try Self.commented.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func session(
    of path: String, _ change: (inout RigDescription) -> Void = { _ in }
  ) throws -> LiveSession {
    var rig = try RigReader.read(path: path)
    change(&rig)
    return try session(RigTestEnvironment(modules: ["reverb", "gain"]), rig)
  }

  @Test func `its own file keeps its comments, devices and stream`() throws {
    let path = try commentedFile()
    let session = try session(of: path) {
      $0.outputs = [RigDevice(DeviceRequest(device: "other"))]
      $0.periodFrames = 64
      $0.watchesDeadline = false
    }
    _ = try session.set("room", to: [("mix", "45 %")])
    _ = try session.set("level", to: [("gain", "-6 dB")])
    try session.saveInPlace(replaces: false)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      text == """
        # A voice in a room.
        outboard: 1
        name: Voice

        rate: 48000  # as the card

        input: {device: dummy}
        output: {device: dummy}

        nodes:
          # Small rooms only.
          room:
            plugin: outboard.reverb
            parameters:
              mix: 45 %     # not more on stage
              decay: 1 s
          # The level of the day.
          level:
            plugin: outboard.gain
            parameters:
              gain: -6 dB

        connections:
          # all of it
          - in -> room
          - room -> level
          - level -> out
        # The end.

        """)
    // Its own version is no change by another program.
    _ = try session.set("room", to: [("mix", "50 %")])
    try session.saveInPlace(replaces: false)
    let again = try self.session(of: path)
    #expect(again.nodeValues.map(\.values) == session.nodeValues.map(\.values))
  }

  @Test func `its own file is not overwritten if another program has changed it`() throws {
    let path = try commentedFile()
    let session = try session(of: path)
    let other = Self.commented.replacing("1 s", with: "2 s")
    try other.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(throws: SaveError.changed(path: path)) { try session.saveInPlace(replaces: false) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == other)
    try session.saveInPlace(replaces: true)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("decay: 1 s"))
  }

  @Test func `a rig of the command line has no file`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let session = try session(workshop, try workshop.chain("outboard.gain"))
    #expect(throws: SaveError.noFile) { try session.saveInPlace(replaces: true) }
  }

  @Test func `a rig of the program is not overwritten`() throws {
    #expect(RigDirectories.isPartOfProgram(RigDirectories.path(of: "mic-chain")))
    #expect(!RigDirectories.isPartOfProgram(directory.path + "/voice.yaml"))
  }
}
