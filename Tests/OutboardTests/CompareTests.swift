// CompareTests.swift: `outboard compare`. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Sides are compared` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone("a.wav")
    try scratch.addTone("b.wav")
  }

  private func compare(_ arguments: String...) throws -> Program.Result {
    try Program.run(["compare"] + arguments, in: scratch)
  }

  @Test func `wrong requests are refused with one message`() throws {
    try scratch.addTone("mono.wav", channels: 1)
    try scratch.addTone("slow.wav", rate: 44_100)
    try scratch.write("no sound", to: "words.wav")
    try scratch.write("", to: "empty.wav")
    for (arguments, message) in [
      (
        ["a.wav"],
        "`outboard compare` needs two sides, but there is 1. Put several plugins of one side in quotes."
      ),
      (
        ["a.wav", "b.wav", "gain"],
        "`outboard compare` needs two sides, but there are 3. Put several plugins of one side in quotes."
      ),
      (
        ["a.wav", "mono.wav"],
        "a.wav has 2 channels and mono.wav has 1 channel. Compare files with the same number of channels."
      ),
      (
        ["a.wav", "slow.wav"],
        "a.wav has 48000 Hz and slow.wav has 44100 Hz. Add --resample to convert the second one."
      ),
      (
        ["a.wav", "gone.wav"],
        "gone.wav does not exist. Give the path of an audio file, or - for standard input."
      ),
      (
        ["a.wav", "b.wav", "-i", "a.wav"],
        "-i is for plugins and rigs, but both sides are files. Remove it."
      ),
      (["-", "-"], "Standard input can be read only once. Name a file."),
      (["gain=3", "a.wav"], "gain=3 has no plugin before it. Name a plugin first."),
      (["a.wav", "gain gan=3"], "Gain has no parameter gan. Did you mean gain?"),
      (["a.wav", "  "], "The name of a file, plugin or rig is empty."),
    ] {
      try expectFailure(["compare"] + arguments, in: scratch, message)
    }
    for name in ["words.wav", "empty.wav"] {
      let result = try compare("a.wav", name)
      #expect(result.status == 2 && result.error.hasPrefix("outboard: \(name) "), "\(result.error)")
    }
    for wrong in [["--tolerance", "loud"], ["--delay", "soon"]] {
      let result = try Program.run(["compare", "a.wav", "b.wav"] + wrong, in: scratch)
      #expect(result.status == 2 && result.error.contains(wrong[1]), "\(result.error)")
    }
  }

  @Test func `equal files are identical to the bit`() throws {
    let result = try compare("a.wav", "b.wav", "--tolerance", "exact")
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(
      result.text == "a.wav and b.wav are identical to the bit: 0.10 s, 2 channels, 48000 Hz\n")
    let piped = try Program.shell("cat a.wav | \"$OUTBOARD\" compare - b.wav", in: scratch)
    #expect(piped.text.hasPrefix("Standard input and b.wav are identical to the bit"), "\(piped)")
  }

  @Test func `the exit status follows the tolerance`() throws {
    let made = try Program.run(
      ["render", "gain", "gain=-0.001", "-i", "a.wav", "-o", "c.wav", "--tail", "0"], in: scratch)
    try #require(made.status == 0, "\(made.error)")
    let plain = try compare("a.wav", "c.wav")
    #expect(
      plain.status == 0 && plain.text.squeezed.contains("Null depth -78.8 dB"), "\(plain.text)")
    #expect(try compare("a.wav", "c.wav", "--tolerance", "-80dB").status == 0)
    let strict = try compare("a.wav", "c.wav", "--tolerance", "-120dBFS")
    #expect(strict.status == 1 && strict.error.isEmpty, "\(strict.error)")
    #expect(
      strict.text.hasSuffix("The difference is above the tolerance of -120 dBFS.\n"),
      "\(strict.text)")
    let exact = try compare("a.wav", "c.wav", "--tolerance", "exact")
    #expect(exact.status == 1 && exact.text.contains("not identical to the bit"))
    let matched = try compare("a.wav", "c.wav", "--match-level", "--tolerance", "-120")
    #expect(matched.status == 0, "\(matched.text)")
  }

  @Test func `plugins are compared with a file and with each other`() throws {
    let file = try compare("a.wav", "gain gain=0", "-i", "b.wav", "--tail", "0", "--delay", "0")
    #expect(file.status == 0, "\(file.error)")
    #expect(file.text.hasPrefix("a.wav and gain gain=0 are identical to the bit"), "\(file.text)")
    let json = try compare("gain gain=-6", "gain", "gain=-12", "--json")
    #expect(json.status == 0, "\(json.error)")
    let object = try #require(
      try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    let total = try #require(object["total"] as? [String: Any])
    #expect(abs(try #require(total["level"] as? Double) + 6) < 1e-4, "\(total)")
    #expect(object["isIdentical"] as? Bool == false && object["delayFrames"] as? Int == 0)
    #expect((object["bands"] as? [Any])?.count == 10 && object["frames"] as? Int == 384_000)
    let chain = try compare("gain gain=-6 gain gain=6", "gain gain=0", "--match-level")
    #expect(chain.status == 0 && chain.text.contains("Null depth"), "\(chain.error)")
  }

  @Test func `rigs are sides, and generators need a duration`() throws {
    try scratch.write(
      """
      outboard: 1
      nodes:
        half: {plugin: outboard.gain, parameters: {gain: -6}}
      connections: [in -> half, half -> out]
      """, to: "half.yaml")
    let rig = try compare("half.yaml", "gain gain=-6", "-i", "a.wav")
    #expect(rig.status == 0 && rig.text.contains("identical to the bit"), "\(rig.error)\(rig.text)")
    let endless = try compare("oscillator", "oscillator level=-20")
    #expect(endless.status == 2, "\(endless.error)")
    #expect(endless.error.contains("Set it with --duration."), "\(endless.error)")
    let short = try compare("oscillator", "oscillator level=-20", "--duration", "0.5")
    #expect(short.status == 0, "\(short.error)")
  }

  @Test func `a crashing plugin fails the comparison with its message`() throws {
    try scratch.addModule("wild", fixture: "crash_in_create")
    let result = try compare("gain", "./wild.yaml", "-i", "a.wav")
    #expect(result.status != 0 && result.text.isEmpty)
    #expect(
      result.error.hasPrefix("outboard: ") && result.error.split(separator: "\n").count == 1,
      "\(result.error)")
  }

  @Test func `a plot is written, and no file is replaced`() throws {
    try scratch.addTone("c.wav", frames: 6_000)
    let first = try compare("a.wav", "c.wav", "--plot", "d.svg")
    #expect(first.status == 0, "\(first.error)")
    #expect(
      first.error == """
        outboard: a.wav is 1200 frames shorter than c.wav and was padded with silence.
        outboard: The audio is periodic, so other delays align the sides as well. The smallest one is used.

        """)
    #expect(try scratch.data("d.svg").starts(with: Data("<?xml".utf8)))
    let again = try compare("a.wav", "c.wav", "--plot", "d.svg")
    #expect(again.status == 2 && again.error.contains("already exists"), "\(again.error)")
  }
}
