// RigPlayerTests.swift: players in a rig. SPDX-License-Identifier: MIT

import AudioFiles
import FilePlayback
import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import RigPlanning
@testable import RigSchema

@Suite struct RigPlayerTests {
  private let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment()
    for (name, channels) in [("mono.wav", 1), ("wide.wav", 3)] {
      var writer = try AudioFileWriter(
        .init(path: file(name), sampleRateHz: 48_000, channelCount: channels))
      try writer.write(
        [Float](repeating: 0.5, count: 48 * channels), frameCount: 48)
      try writer.finish()
    }
  }

  private func file(_ name: String) -> String { workshop.path + "/" + name }

  private func rig(_ node: String) throws -> RigDescription {
    try workshop.rig("nodes:\n  band: {\(node)}\nconnections: [band -> out]", name: "stage.yaml")
  }

  private func request(_ node: String) throws -> PlayerSettings? {
    try workshop.library.find(nodesOf: rig(node)).first.flatMap(PlayerSettings.init)
  }

  private func mistake(_ node: String) throws -> String {
    do {
      return "\(String(describing: try request(node))) was found"
    } catch {
      return "\(error)".replacing(workshop.path + "/", with: "")
    }
  }

  @Test func `a player's settings are in its description, with file paths relative to the rig`()
    throws
  {
    #expect(
      try request("builtin: player, file: wide.wav")
        == PlayerSettings(files: [file("wide.wav")], channelCount: 3))
    var rich = PlayerSettings(files: [file("mono.wav"), "/a, b.flac"], channelCount: 2)
    (rich.startsWaiting, rich.isLooping) = (true, true)
    (rich.startSeconds, rich.fromSeconds, rich.crossfadeSeconds) = (5, 83, 0.02)
    #expect(
      try request(
        "builtin: player, files: [mono.wav, \"/a, b.flac\"], channels: 2, autostart: no, loop: yes,"
          + " crossfade: 20 ms, start_delay: 5 s, start_position: \"1:23\"") == rich)
  }

  @Test func `a list of files survives writing and reading`() throws {
    let rig = try rig("builtin: player, files: [mono.wav, \"a, b.wav\"], loop: yes")
    let again = try RigReader.read(text: RigWriter.text(of: rig), file: file("stage.yaml"))
    #expect(again.nodes[0].settings.map(\.text) == rig.nodes[0].settings.map(\.text))
  }

  @Test func `an invalid player setting is reported with its location`() throws {
    try workshop.write("no sound", as: "text.wav")
    for (node, message) in [
      ("loop: yes", ": A player needs a file. Add one, e.g. file: guitar.wav."),
      ("file: none.wav", ".file: none.wav does not exist. Name an audio file."),
      (
        "file: [mono.wav]",
        ".file: expected one file (`files` takes several), found a list"
      ),
      ("file: text.wav", ".file: text.wav is not a readable audio file"),
      (
        "file: mono.wav, files: [mono.wav]",
        ".files: A player cannot have both file and files. Remove one."
      ),
      (
        "file: mono.wav, files: [mono.wav]",
        ".files: A player cannot have both file and files."
          + " Remove one."
      ),
      (
        "file: mono.wav, crossfade: 20 ms", ".crossfade: crossfade needs a loop. Add loop: yes"
      ),
      (
        "file: mono.wav, loop: yes, crossfade: 11 s",
        ".crossfade: 11 s is not a time from 0 to 10 s"
      ),
      ("file: mono.wav, loop: twice", ".loop: loop: twice is not yes or no."),
      (
        "file: mono.wav, start_position: soon",
        ".start_position: soon is not a time from 0 to 604800 s. Example: start_position: 1:23."
      ),
      ("file: mono.wav, preroll: 3 s", ".preroll:"), ("file: mono.wav, channels: 0", ".channels:"),
    ] {
      let found = try mistake("builtin: player, \(node)")
      #expect(found.hasPrefix("stage.yaml:3: nodes.band\(message)"), "\(node): \(found)")
    }
    #expect(try mistake("builtin: plyer, file: a.wav").contains("Did you mean \"player\""))
  }
}
