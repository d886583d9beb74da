// RigRecorderTests.swift: recorders in a rig. SPDX-License-Identifier: MIT

import AudioFiles
import FileRecording
import PluginModel
import RigTestSupport
import Testing

@Suite struct RigRecorderTests {
  private func rig(_ node: String) -> String {
    "nodes:\n  tape: {\(node)}\nconnections: [in -> tape]"
  }

  private func mistake(_ node: String) throws -> String {
    try RigTestEnvironment().mistake(rig(node))
  }

  @Test func `a recorder's settings are in its description, with a file path relative to the rig`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let plain = try workshop.find(rig("builtin: recorder, file: takes/one.wav"))
    #expect(
      plain.map(RecorderSettings.init) == [
        RecorderSettings(path: workshop.path + "/takes/one.wav", channelCount: 2)
      ])
    #expect(plain[0].audioInputs.map(\.symbol) == ["in_1", "in_2"] && plain[0].outputCount == 0)
    let wide = try workshop.find(
      rig("builtin: recorder, file: /tmp/one.aiff, channels: 64, format: S24"))
    #expect(
      wide.map(RecorderSettings.init) == [
        RecorderSettings(path: "/tmp/one.aiff", format: .s24, channelCount: 64)
      ])
  }

  @Test func `a recorder has start, pre-roll and split settings`() throws {
    let workshop = try RigTestEnvironment()
    for (text, split) in [
      ("10 min", SplitLength.seconds(600)), ("1.5 h", .seconds(5_400)),
      ("1:30:00", .seconds(5_400)),
      ("2 GB", .bytes(2_000_000_000)), ("1.5 MiB", .bytes(1_572_864)),
    ] {
      let found = try workshop.find(
        rig("builtin: recorder, file: take-%take.wav, autostart: no, preroll: 0:10, split: \(text)")
      )
      var request = RecorderSettings(path: workshop.path + "/take-%take.wav", channelCount: 2)
      (request.startsWaiting, request.prerollSeconds, request.split) = (true, 10, split)
      #expect(found.map(RecorderSettings.init) == [request])
    }
    for (setting, message) in [
      ("split: 60", "split: 60 is not a file length. Use a time from 1 s to 168 h, e.g."),
      ("split: 3 kB", "split: 3 kB is not a file length"),
      ("split: 0 s", "split: 0 s is not a file length"),
      ("split: often", "split: often is not a file length"),
      ("autostart: later", "autostart: autostart: later is not yes or no."),
      ("preroll: 301 s", "preroll: 301 s is not a time from 0 to 300 s. Example: preroll: 10 s."),
      ("preroll: -1 s", "preroll: -1 s is not a time"),
    ] {
      #expect(
        try mistake("builtin: recorder, file: a.wav, \(setting)").hasPrefix(
          "stage.yaml:3: nodes.tape.\(message)"), "\(setting)")
    }
    #expect(
      try mistake("builtin: recorder, file: \"take-%takes-%number.wav\"").hasPrefix(
        "stage.yaml:3: nodes.tape.file: take-%takes-%number.wav has %number in its name"))
  }

  @Test func `an invalid recorder setting is reported with its location`() throws {
    #expect(
      try mistake("builtin: recorder")
        == "stage.yaml:3: nodes.tape: A recorder needs a file. Add one, e.g. file: take.wav."
    )
    #expect(
      try mistake("builtin: recorder, file: a.mp3").hasPrefix(
        "stage.yaml:3: nodes.tape.file: a.mp3 cannot be recorded as MP3"))
    #expect(
      try mistake("builtin: recorder, file: a.flac, format: FLOAT")
        == "stage.yaml:3: nodes.tape.file: a.flac cannot hold float samples: FLAC offers s16 and s24."
    )
    #expect(
      try mistake("builtin: recorder, file: a.wav, format: S25").hasPrefix(
        "stage.yaml:3: nodes.tape.format: unknown value \"S25\". Did you mean"))
    #expect(
      try mistake("builtin: recorder, file: a.wav, channels: 65").hasPrefix(
        "stage.yaml:3: nodes.tape.channels:"))
    #expect(
      try mistake("builtin: recorder, file: a.wav, split: 60").hasPrefix(
        "stage.yaml:3: nodes.tape.split:"))
    #expect(
      try mistake("builtin: mixer, file: a.wav").hasPrefix("stage.yaml:3: nodes.tape.file:"))
    #expect(
      try mistake("builtin: recorder, flie: a.wav").contains("Did you mean \"file\""))
  }
}
