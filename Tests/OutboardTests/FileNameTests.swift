// FileNameTests.swift: file names that look like options or values. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Names of files` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  @Test func `after two dashes every word is a name`() throws {
    for name in ["-dash.wav", "a=b.wav", "--json", "-", "plain", "mix=3"] {
      try scratch.write("", to: "in/\(name)")
      try scratch.addTone("in/\(name)")
    }
    let result = try Program.shell(
      "cd in && $OUTBOARD render outboard.gain -o ../wet/ -- *", in: scratch)
    #expect(result.status == 0, "\(result.error)")
    let wet = try FileManager.default.contentsOfDirectory(atPath: scratch.path("wet"))
    #expect(
      Set(wet) == ["-dash.wav", "a=b.wav", "--json.wav", "-.wav", "plain.wav", "mix=3.wav"],
      "\(result.error)")
    let analysed = try Program.shell(
      "cd in && $OUTBOARD analyse -- -dash.wav --json -", in: scratch)
    #expect(analysed.status == 0 && analysed.text.contains("\n--json "), "\(analysed.error)")
  }

  @Test func `with a path before them are names, too`() throws {
    try scratch.addTone("a=b.wav")
    try scratch.addTone("-dash.wav")
    try scratch.addTone("c.wav")
    try expectSuccess(
      ["render", "outboard.gain", "./a=b.wav", "./-dash.wav", "c.wav", "-o", "wet/"], in: scratch)
    #expect(scratch.exists("wet/a=b.wav") && scratch.exists("wet/-dash.wav"))
  }

  @Test(arguments: [
    ["render", "outboard.gain", "-dash.wav", "c.wav", "-o", "wet/"],
    ["render", "outboard.gain", "-i", "c.wav", "-o", "-dash.wav"],
    ["analyse", "-dash.wav"], ["run", "-dash.wav"], ["check", "-dash.wav"],
  ])
  func `with a leading dash are refused with the accepted spelling`(arguments: [String]) throws {
    try expectFailure(
      arguments, in: scratch,
      "-dash.wav starts with a dash and is read as an option. Write ./-dash.wav or put -- before"
        + " the file names.")
  }

  @Test(arguments: [
    "render outboard.gain \"$N\" -o wet/", "render outboard.gain -i c.wav -o \"$N\"",
    "analyse -- \"$N\"",
  ])
  func `that are not UTF-8 are refused with the reason`(command: String) throws {
    try scratch.addTone("c.wav")
    let result = try Program.shell(
      "N=$(printf 'caf\\351.wav'); cp c.wav \"$N\"; $OUTBOARD \(command); s=$?; rm -f \"$N\"; exit $s",
      in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error
        == "outboard: The argument caf\\xe9.wav is not UTF-8 and cannot name a file. Rename the"
        + " file, e.g. with `convmv -f latin1 -t utf8 --notest FILE`.\n")
  }

  @Test func `in a directory whose name is not UTF-8 are written`() throws {
    try scratch.addTone("c.wav")
    let result = try Program.shell(
      "D=$(printf 'caf\\351'); mkdir \"$D\" && cd \"$D\" || exit 9; cp ../c.wav .;"
        + " $OUTBOARD render outboard.gain -i c.wav -o wet.wav; s=$?; cp wet.wav ..; cd ..;"
        + " rm -rf \"$D\"; exit $s",
      in: scratch)
    #expect(result.status == 0, "\(result.error)")
    #expect(scratch.exists("wet.wav"))
  }
}
