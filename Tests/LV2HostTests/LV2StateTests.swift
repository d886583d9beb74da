// LV2StateTests.swift: tests of LV2Node+State.swift and the types that it uses. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import Testing

@Suite struct `LV2 state` {
  private let fixture: StateFixture

  init() throws { fixture = try StateFixture() }

  @Test func `the default state is restored before activation`() throws {
    let node = try fixture.node()
    try node.activate()
    #expect(ShownFixture(node, Player(node)) == ShownFixture(restores: 1, files: 1, level: 0.5))
  }

  @Test func `a saved state is restored in another instance, with the values of ports`() throws {
    let node = try fixture.node()
    try node.activate()
    let player = Player(node)
    node.setParameter(StateFixture.poke, to: 1)
    _ = player.play(4) { _, _ in 1 }
    node.setParameter(StateFixture.gain, to: 0.5)
    #expect(try node.saveState(to: fixture.path("kept")))
    let other = try fixture.node()
    try other.restoreState(from: fixture.path("kept"))
    #expect(other.parameter(StateFixture.gain) == 0.5)
    try other.activate()
    #expect(ShownFixture(other, Player(other)) == ShownFixture(restores: 2, files: 4, level: 0.125))
    #expect(ShownFixture(node, player).breaches == 0)
  }

  @Test func `files are copied next to the state, which can be moved`() throws {
    let given = try fixture.write(
      "given", "key:level 0.25 ; key:word \"ärger & co\" ; key:sample <a%20b%20%231%20%C3%A4.txt>",
      files: ["a b #1 ä.txt"])
    let node = try fixture.node()
    try node.restoreState(from: given)
    try node.activate()
    #expect(ShownFixture(node, Player(node)).files == 1)
    #expect(try node.saveState(to: fixture.path("kept/here")))
    try FileManager.default.createDirectory(
      atPath: fixture.path("moved"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: fixture.path("kept/here"), toPath: fixture.path("moved/there"))
    try FileManager.default.removeItem(atPath: given)
    var files = try StateFixture.files(in: fixture.path("moved/there"))
    for name in ["manifest.ttl", "state.ttl"] {
      let text = try #require(files[name])
      files[name] = nil
      // The state does not contain its original path.
      #expect(!text.contains(fixture.directory.path) && !text.contains("file://"), "\(text)")
    }
    #expect(
      files == [
        "a b #1 ä.txt": "a b #1 ä.txt", "takes/1/take.txt": "take",
        "notes/word list.txt": "ärger & co",
      ])
    let other = try fixture.node()
    try other.restoreState(from: fixture.path("moved/there"))
    try other.activate()
    #expect(ShownFixture(other, Player(other)) == ShownFixture(restores: 2, files: 4, level: 0.25))
  }

  @Test func `a state can be saved over itself, and two files with one name are both kept`() throws
  {
    let node = try fixture.node()
    try node.activate()
    let kept = fixture.path("kept")
    #expect(try node.saveState(to: kept))
    try node.restoreState(from: kept)
    // The current name of the plugin's own file.
    let given = try fixture.write(
      "given", "key:sample <default.txt> ; key:take <../kept/default.txt>", files: ["default.txt"])
    try node.restoreState(from: given)
    #expect(try node.saveState(to: kept))
    var files = try StateFixture.files(in: kept)
    files["manifest.ttl"] = nil
    files["state.ttl"] = nil
    #expect(
      files == [
        "default.txt": "default.txt", "default-2.txt": "default", "notes/word list.txt": "",
      ])
    let other = try fixture.node()
    try other.restoreState(from: kept)
    try other.activate()
    #expect(ShownFixture(other, Player(other)) == ShownFixture(restores: 2, files: 4, level: 1))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path).count == 3)
  }

  @Test func `a state of another plugin, or an empty one, is refused`() throws {
    let node = try fixture.node(isSafe: true)
    let given = try fixture.write("given", "key:level 0.25")
    #expect(
      throws: LV2StateError.otherPlugin(
        path: given, found: "urn:outboard:test:state", name: "Safe state")
    ) { try node.restoreState(from: given) }
    let empty = fixture.path("nowhere")
    #expect(throws: LV2StateError.noState(path: empty)) { try node.restoreState(from: empty) }
    #expect(
      throws: LV2StateError.several(path: fixture.bundle, count: 3, name: "State")
    ) { try fixture.node().restoreState(from: fixture.bundle) }
  }

  @Test func `the message names a plugin that rejects a state`() throws {
    let node = try fixture.node()
    let given = try fixture.write("given", "key:word \"refuse\"")
    #expect(throws: LV2StateError.notRestored(name: "State", reason: "a value is missing")) {
      try node.restoreState(from: given)
    }
  }

  @Test func `a plugin that fails without a message has no state, unless it has stored a value`()
    throws
  {
    let node = try fixture.node()
    let kept = fixture.path("kept")
    try node.restoreState(from: fixture.write("given", "key:word \"nothing\""))
    #expect(try !node.saveState(to: kept))
    try node.restoreState(from: fixture.write("other", "key:word \"half\""))
    #expect(throws: LV2StateError.notSaved(name: "State", reason: "no reason given")) {
      try node.saveState(to: kept)
    }
    #expect(!FileManager.default.fileExists(atPath: kept))
  }

  @Test func `a plugin with an empty state restores it in another instance`() throws {
    let node = try fixture.node()
    try node.restoreState(from: fixture.write("given", "key:word \"empty\""))
    try node.activate()
    // It started with its default state, which has a file and a level of 0.5.
    let other = try fixture.node()
    try other.copyState(from: node)
    try other.activate()
    #expect(ShownFixture(other, Player(other)) == ShownFixture(restores: 2, files: 0, level: 1))
  }

  @Test func `a directory with other content is not changed`() throws {
    let node = try fixture.node()
    let directory = fixture.path("mine")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try "mine".write(toFile: directory + "/notes.txt", atomically: true, encoding: .utf8)
    #expect(throws: LV2StateError.directoryExists(path: directory)) {
      try node.saveState(to: directory)
    }
    #expect(try StateFixture.files(in: directory) == ["notes.txt": "mine"])
  }

  @Test func `a plugin with only parameters has no state to save`() throws {
    let directory = try BundleDirectory(["witness"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:witness", inBundle: directory.bundle("witness"))
    let node = try LV2Node(plugin, StateFixture.configuration)
    #expect(try !node.saveState(to: fixture.path("kept")))
    #expect(!FileManager.default.fileExists(atPath: fixture.path("kept")))
    #expect(!node.hasChangedState)
  }

  @Test func `a plugin's notice of a changed state remains until the state is saved`() throws {
    let node = try fixture.node()
    try node.activate()
    let player = Player(node)
    _ = player.play(16) { _, _ in 0 }
    #expect(!node.hasChangedState)
    node.setParameter(StateFixture.poke, to: 1)
    for _ in 0 ..< 3 { _ = player.play(16) { _, _ in 0 } }
    #expect(node.hasChangedState)
    #expect(try node.saveState(to: fixture.path("kept")))
    #expect(!node.hasChangedState)
  }

  @Test(arguments: [false, true])
  func `another instance restores the state, but not the parameters`(isSafe: Bool) throws {
    let other = try fixture.node(isSafe: isSafe)
    do {
      let node = try fixture.node(isSafe: isSafe)
      try node.activate()
      node.setParameter(StateFixture.poke, to: 1)
      node.setParameter(StateFixture.gain, to: 0.5)
      _ = Player(node).play(4) { _, _ in 1 }
      try other.activate()
      try other.copyState(from: node)
    }
    #expect(other.parameter(StateFixture.gain) == 1)
    let shown = ShownFixture(other, Player(other))
    // The files of the destroyed instance still exist.
    #expect(
      shown
        == (isSafe
          ? ShownFixture(restores: 1, files: 0, level: 0.5)
          : ShownFixture(restores: 2, files: 4, level: 0.25)))
  }

  @Test func `temporary files of a state are deleted with the plugin`() throws {
    var node: LV2Node? = try fixture.node()
    try node?.activate()
    let before = try scratchDirectories()
    #expect(!before.isEmpty)
    node = nil
    // Other tests create such directories at the same time.
    #expect(try !Set(before).subtracting(scratchDirectories()).isEmpty)
  }

  private func scratchDirectories() throws -> [String] {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    return try FileManager.default.contentsOfDirectory(atPath: parent).filter {
      FileManager.default.fileExists(atPath: "\(parent)/\($0)/takes/1/take.txt")
    }
  }
}
