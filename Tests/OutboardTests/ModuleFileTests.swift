// ModuleFileTests.swift: modules with audio files, readouts and presets. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import TestWaits
import Testing

@Suite struct `Modules with files, readouts and presets` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addModule(
      "player", fixture: "measures", channels: 1,
      more: """
        parameters:
          - {symbol: gain, name: Gain, minimum: 0, default: 1, maximum: 2}
        files:
          - {symbol: sound, name: Sound}
        readouts:
          - {symbol: peak, name: Peak, unit: FS, minimum: 0, maximum: 1}
          - {symbol: frames, name: Frames, minimum: 0, maximum: 1000000, choices: {0: None}}
        presets:
          - {name: Muted, parameters: {gain: 0}}
        """)
    try FloatWave(channels: [[Float](repeating: 0, count: 4_800)], sampleRateHz: 48_000)
      .write(to: scratch.path("in.wav"))
    try click("click.wav", 0.5)
  }

  /// A file of 100 frames of a level.
  private func click(_ name: String, _ level: Float, rate: UInt32 = 48_000) throws {
    try FloatWave(
      channels: [[Float](repeating: level, count: 100)], sampleRateHz: rate
    ).write(to: scratch.path(name))
  }

  private func render(_ words: String...) throws -> Program.Result {
    try Program.run(
      ["render", "./player.so"] + words + ["-i", "in.wav", "-o", "out.wav", "--force"],
      in: scratch)
  }

  @Test func `the validation of a module may use a given file`() throws {
    func check(_ words: String...) throws -> Program.Result {
      try Program.run(["validate", "--quick", "./player.so"] + words, in: scratch)
    }
    func peak(_ words: String...) throws -> Double {
      let result = try Program.run(
        ["validate", "--quick", "./player.so"] + words, in: scratch)
      #expect(result.status == 0, "\(result.text)")
      return try #require(result.text.firstMatch(of: #/peak ([0-9.]+)/#).flatMap { Double($0.1) })
    }
    try click("loud.wav", 3)
    try #expect(peak() < 2)
    try #expect(peak("sound=loud.wav", "gain=0.5") >= 3)
    let missing = try check("sound=nowhere.wav")
    #expect(missing.status != 0)
    #expect(
      (missing.text + missing.error).contains("nowhere.wav"), "\(missing.text + missing.error)")
  }

  @Test func `a file is given on the command line, and readouts are printed`() throws {
    let result = try render("sound=click.wav")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.contains("\nplayer   Peak 0.500 FS   Frames "), "\(result.text)")
    let samples = try #require(scratch.samples("out.wav"))
    #expect(samples[0][99] == 0.5 && samples[0][100] == 0)
  }

  @Test func `programs get the same as JSON`() throws {
    let result = try render("sound=click.wav", "--json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let readouts = try #require(object["readouts"] as? [[String: Any]])
    #expect(readouts.first?["node"] as? String == "player")
    #expect((readouts.first?["values"] as? [String: Double])?["peak"] == 0.5)
  }

  @Test func `a file of another rate is converted`() throws {
    try click("slow.wav", 0.25, rate: 24_000)
    #expect(try render("sound=slow.wav").status == 0)
    let samples = try #require(scratch.samples("out.wav"))
    let sum = samples[0].reduce(0, +)
    #expect(abs(sum - 200 * 0.25) < 0.1, "\(sum)")
  }

  @Test func `a rig finds a file in its own directory`() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path("stage"), withIntermediateDirectories: true)
    try click("stage/near.wav", 0.75)
    try scratch.write(
      """
      outboard: 1
      nodes:
        p: {plugin: ../player.so, properties: {sound: near.wav}}
      connections: [in -> p -> out]
      """, to: "stage/rig.yaml")
    try expectSuccess(
      ["render", "--rig", "stage/rig.yaml", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(scratch.samples("out.wav")?[0][0] == 0.75)
  }

  @Test func `a preset is selected by its name`() throws {
    let list = try Program.run(["preset", "list", "./player.so"], in: scratch)
    #expect(list.text.contains("Muted"))
    try scratch.addTone(channels: 1)
    #expect(try render("preset=muted").status == 0)
    #expect(scratch.samples("out.wav")?[0].allSatisfy { $0 == 0 } == true)
    #expect(try render("preset=muted", "gain=1").status == 0)
    #expect(scratch.samples("out.wav")?[0].contains { $0 != 0 } == true)
  }

  @Test(arguments: [
    ("sound=gone.wav", "player: sound = gone.wav: no such file: PATH/gone.wav."),
    (
      "sound=player.yaml",
      "player: Sound is not set: PATH/player.yaml is not a readable audio file"
    ),
    (
      "sound=wide.wav",
      "player: Sound is not set: the `load_file` of player rejected PATH/wide.wav."
    ),
    ("soud=click.wav", "player has no parameter or property soud. Did you mean sound?"),
    ("preset=Muetd", "player has no preset \"Muetd\". Did you mean \"Muted\"?"),
  ])
  func `an unusable file is refused in one message`(word: String, message: String) throws {
    try FloatWave(channels: [[0.5], [0.5], [0.5]], sampleRateHz: 48_000)
      .write(to: scratch.path("wide.wav"))
    let result = try render(word)
    #expect(result.status == 2, "\(result.error)")
    let wanted = message.replacingOccurrences(of: "PATH", with: scratch.path("."))
      .replacingOccurrences(of: "/./", with: "/")
    #expect(result.error.hasPrefix("outboard: \(wanted)"), "\(result.error)")
    #expect(result.error.filter { $0 == "\n" }.count == 1)
    #expect(!scratch.exists("out.wav"))
  }

  @Test func `code with globals processes both channels in the same way`() throws {
    try scratch.addModule("old", fixture: "keeps_globals", channels: 1)
    let tone = try scratch.addTone("both.wav")
    try expectSuccess(
      ["render", "./old.so", "-i", "both.wav", "-o", "out.wav", "--tail", "0"], in: scratch)
    let samples = try #require(scratch.samples("out.wav"))
    for channel in 0 ..< 2 { #expect(samples[channel] == [0] + tone[channel].dropLast()) }
  }

  @Test func `a file can be changed while it plays, and is saved with the rig`() throws {
    let running = try Program.start(
      [
        Program.url.path, "run", "./player.so", "gain=0", "sound=click.wav", "--in", "null",
        "--out", "null",
        "--duration",
        "200",
      ], in: scratch)
    func outboard(_ arguments: String...) throws -> Program.Result {
      try Program.run(arguments, in: scratch)
    }
    let deadline = Deadline()
    while try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    try click("second.wav", 0.25)
    let set = try outboard("set", "player", "sound=second.wav")
    #expect(set.status == 0, "\(set.error)")
    let wrong = try outboard("set", "player", "sound=player.yaml")
    #expect(
      wrong.status == 2 && wrong.error.contains("is not a readable audio file"), "\(wrong.error)")
    // It is a new instance, which has only received its own file: the output of the null device is undefined.
    var reported = ""
    let deadline2 = Deadline()
    while !reported.contains("peak 0.25") {
      reported = try outboard("status").text.squeezed
      try deadline2.rest(0.05)
    }
    let saved = try outboard("save", "kept.yaml")
    #expect(saved.status == 0, "\(saved.error)")
    // Again, over the file that was just written.
    #expect(try outboard("set", "player", "sound=kept.state/1-player-sound.wav").status == 0)
    let again = try outboard("save", "--force", "kept.yaml")
    #expect(again.status == 0, "\(again.error)")
    running.process.terminate()
    #expect(try running.finish().status == 0)
    try FileManager.default.removeItem(atPath: scratch.path("second.wav"))
    #expect(saved.error.isEmpty)
    try expectSuccess(
      ["render", "--rig", "kept.yaml", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(scratch.samples("out.wav")?[0][99] == 0.25)
  }
}
