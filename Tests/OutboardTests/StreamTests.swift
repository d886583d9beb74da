// StreamTests.swift: `outboard run` between pipes, and between a pipe and a clock. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A run with standard streams` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// A shell command with pipes, as a user writes them; `STATUS FILE COMMAND` stores a command's status.
  private func shell(_ line: String) throws -> Program.Result {
    try Program.shell("keep() { file=$1; shift; \"$@\"; echo $? > $file; }; " + line, in: scratch)
  }

  private func status(_ name: String = "status") throws -> String {
    String(decoding: try scratch.data(name), as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
  }

  @Test func `the summary of a filter has the length of its audio`() throws {
    let result = try shell(
      "\"$OUTBOARD\" render outboard.oscillator --duration 60 -o - | "
        + "\"$OUTBOARD\" run outboard.gain --in - --out - > out.wav")
    #expect(result.error.contains(#/1 min 0\d s of audio in \d/#), "\(result.error)")
  }

  @Test(arguments: ["", "--out-format s16"])
  func `a file on standard output has its length in the header, beside a clock`(
    format: String
  ) throws {
    let result = try shell(
      "\"$OUTBOARD\" run outboard.gain --in dummy --out - --duration 0.2 \(format) > out.wav")
    #expect(result.status == 0)
    let file = try scratch.data("out.wav")
    let size = file[4 ..< 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(size == file.count - 8 && size > 10_000)
  }

  // MARK: - Bad input

  @Test(arguments: [
    (
      "--in - --out - < /dev/null | cat", "2",
      "Standard input ended before any audio arrived. Check the messages of the program before "
        + "the pipe."
    ),
    (
      "--in - --out - <&- | cat", "2",
      "Standard input ended before any audio arrived. Check the messages of the program before "
        + "the pipe."
    ),
    (
      "--in - --out - < /dev/ptmx | cat", "2",
      "Standard input is a terminal. Pipe audio into it, as in `arecord -f cd -t wav | outboard run"
        + " ...`, or redirect a file to it."
    ),
    (
      "--in - --out - < in.wav > /dev/ptmx", "2",
      "Standard output is a terminal and cannot play audio. Pipe it to a program, as in `outboard "
        + "run ... |"
        + " aplay`, or redirect it to a file."
    ),
    (
      "--in - --out - < text | cat", "2",
      "Standard input is not a WAV stream: it begins with \"This\". Make the program before the "
        + "pipe write WAV, or"
        + " describe raw PCM with --raw, as in --raw 48000:2:S16."
    ),
    (
      "--in - --out - --raw 48000:2:s16 < in.wav | cat", "2",
      "Standard input begins with a WAV header, which describes the format. Remove --raw."
    ),
    (
      "--in - --out - < in.wav > /dev/full", "1",
      "Writing standard output failed after 0.0 s (no space left on device). The session ends."
    ),
  ])
  func `reports an error in one message`(
    arguments: String, expected: String, message: String
  ) throws {
    try scratch.addTone()
    try scratch.write("This is no sound.", to: "text")
    let result = try shell("keep status \"$OUTBOARD\" run outboard.gain " + arguments)
    #expect(result.error.contains("outboard: \(message)\n"), "\(result.error)")
    #expect(!result.error.contains("rror:"), "\(result.error)")
    #expect(result.output.isEmpty)
    #expect(try status() == expected)
  }

  @Test(arguments: [
    ("--raw 48000:2:s16 --in none --out -", "--raw describes standard input, so it needs --in -."),
    ("--in - --raw 48000:2", "--raw 48000:2 is not a rate, channels and format."),
    (
      "--in - --out-format s16 --out dummy",
      "--out-format describes standard output, so it needs --out -."
    ),
    (
      "--in - --container raw --out dummy",
      "--container describes standard output, so it needs --out -."
    ),
    (
      "--out - --out-format mp3",
      "--out-format mp3 is not a sample format. Use s16, s24, s32, float or double."
    ),
    ("--out - --out-format U8", "Standard output cannot have U8 samples."),
    (
      "--out - --container flac", "The value 'flac' is invalid for '--container <format>'"
    ),
    ("--out - --out dummy", "- must be the last of several --out"),
    ("--in - --in - --out dummy", "Only one --in - is allowed. Remove the other one."),
    (
      "--in - --out dummy --out hw:0",
      "dummy and hw:0 cannot be combined: dummy replaces all sound cards."
    ),
    (
      "--in - --out - --json", "Standard output cannot carry both audio and JSON. Remove one."
    ),
    (
      "--in none --out - > out.wav",
      "Without an input or a card, the output has no end and no clock."
    ),
    (
      "--in - --out - --rate 44100",
      "Without a card, the graph runs at the rate of standard input (48000 Hz). Remove --rate."
    ),
  ])
  func `is refused with contradictory flags`(arguments: String, message: String) throws {
    try scratch.addTone()
    let result = try shell("\"$OUTBOARD\" run outboard.gain \(arguments) < in.wav")
    #expect(result.status == 2)
    let statement = result.error + result.text
    #expect(statement.contains(message), "\(statement)")
  }

  @Test func `reports a header without audio`() throws {
    try scratch.addTone()
    try scratch.write(scratch.data("in.wav").prefix(44), to: "header")
    let result = try shell(
      "keep status \"$OUTBOARD\" run outboard.gain --in - --out - < header > out.wav")
    #expect(
      result.error.contains("outboard: Standard input ended before any audio arrived."),
      "\(result.error)")
    #expect(try status() == "1")
  }

  @Test(arguments: ["--in - --raw 48000:2:s16 --out -", "--in dummy --out -"])
  func `ends with a message when its reader closes`(arguments: String) throws {
    // Endless zeros, and a reader that closes the pipe.
    let result = try shell(
      "cat /dev/zero 2> /dev/null | keep status \"$OUTBOARD\" run outboard.gain \(arguments)"
        + " | head -c 50000 > /dev/null")
    #expect(result.error.contains("outboard: The reader of standard output closed it after "))
    #expect(try status() == "1")
  }

  // MARK: - Between pipes

  @Test(arguments: ["outboard.reverb mix=50", "outboard.limiter", "outboard.delay"])
  func `outputs the bytes of a rendering`(effect: String) throws {
    try scratch.addTone("in.wav", frames: 50_001, rate: 44_100)
    let run = try shell(
      "cat in.wav | \"$OUTBOARD\" run \(effect) --in - --out - | cat > run.wav")
    #expect(run.status == 0, "\(run.error)")
    let render = try shell(
      "\"$OUTBOARD\" render \(effect) -i in.wav -o - 2> /dev/null | cat > render.wav")
    #expect(render.status == 0)
    let (one, other) = (try scratch.data("run.wav"), try scratch.data("render.wav"))
    #expect(one.count > 50_001 * 8)
    #expect(one == other, "\(one.count) and \(other.count) bytes")
  }

  @Test(arguments: [(2, "s16"), (3, "s24"), (4, "s32")])
  func `outputs whole numbers unchanged`(bytes: Int, format: String) throws {
    let samples = try scratch.addNoise("in.wav", bytesPerSample: bytes)
    try scratch.write(samples, to: "in.raw")
    let result = try shell(
      "cat in.raw | \"$OUTBOARD\" run outboard.gain --in - --raw 48000:2:\(format) --out - "
        + "--container raw"
        + " --out-format \(format) | cat > out.raw;"
        + " \"$OUTBOARD\" render outboard.gain -i in.wav -o - --container raw --format \(format)"
        + " 2> /dev/null > render.raw")
    let passed = try scratch.data("out.raw")
    #expect(passed == (try scratch.data("render.raw")), "\(result.error)")
    if bytes < 4 { #expect(passed.prefix(samples.count) == samples) }
  }

  @Test func `generates audio for the given duration`() throws {
    let result = try shell(
      "\"$OUTBOARD\" run outboard.oscillator --in none --out - --container raw --out-format s16"
        + " --duration 2 | wc -c")
    #expect(
      result.text.trimmingCharacters(in: .whitespacesAndNewlines) == "\(2 * 48_000 * 2)",
      "\(result.error)")
  }

  // MARK: - With a clock

  @Test func `plays standard input to its end and succeeds`() throws {
    try scratch.addTone("in.wav", frames: 48_000)
    let result = try shell(
      "cat in.wav | \"$OUTBOARD\" run outboard.gain --in - --out dummy --json --record out.wav")
    #expect(result.status == 0, "\(result.error)")
    let captured = try #require(scratch.samples("out.wav")?.first)
    let played = try #require(scratch.samples("in.wav")?.first)
    // After the fade at the start.
    let start = try #require(Self.place(of: Array(played[20_000 ..< 20_100]), in: captured))
    let from = start - 20_000 + 5_000
    #expect(Array(captured[from ..< from + 40_000]) == Array(played[5_000 ..< 45_000]))
  }

  @Test func `writes to standard output at the rate of the clock`() throws {
    let result = try shell(
      "\"$OUTBOARD\" run outboard.oscillator --in none --out dummy --out - --container raw "
        + "--out-format s16"
        + " --duration 1 | wc -c")
    let bytes = Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    #expect(40_000 ... 80_000 ~= bytes / 4, "\(result.text) \(result.error)")
  }

  @Test func `keeps running while a reader stops, and reports it once`() throws {
    _ = try shell(
      "keep status \"$OUTBOARD\" run outboard.oscillator --in dummy --out - --duration 6 2> said"
        + " | (for i in $(seq 100); do grep -q stalled said && break; sleep 0.1; done; wc -c)")
    let statement = String(decoding: try scratch.data("said"), as: UTF8.self)
    #expect(try status() == "0")
    let reported =
      statement.components(separatedBy: "The reader of standard output stalled").count - 1
    #expect(reported == 1, "\(statement)")
    #expect(statement.contains("Standard output resumed."), "\(statement)")
  }

  @Test func `is silent while standard input stops, reports it once, and resumes`() throws {
    let result = try shell(
      "half() { head -c 96000 /dev/zero; }; (half; sleep 2; half)"
        + " | \"$OUTBOARD\" run outboard.gain --in - --raw 48000:2:s16 --out dummy")
    #expect(result.status == 0)
    let reported = result.error.components(separatedBy: "Standard input stalled").count - 1
    #expect(reported == 1, "\(result.error)")
    #expect(result.error.contains("Standard input resumed."), "\(result.error)")
  }

  private static func place(of pattern: [Float], in sound: [Float]) -> Int? {
    guard let first = pattern.first, sound.count >= pattern.count else { return nil }
    return (0 ... sound.count - pattern.count).first {
      sound[$0] == first && Array(sound[$0 ..< $0 + pattern.count]) == pattern
    }
  }
}
