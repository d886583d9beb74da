// PipeInputTests.swift: the beginning of standard input. SPDX-License-Identifier: MIT

import AudioDriver
import AudioFiles
import Glibc
import RealtimeKit
import Testing

@testable import PipeIO

@Suite struct PipeInputTests {
  private func open(
    _ bytes: [UInt8], raw: PipeFormat? = nil
  ) throws -> PipeInput {
    let pipe = TestPipe()
    pipe.send(bytes)
    pipe.shutDown()
    let descriptor = dup(pipe.readEnd)
    return try PipeInput(descriptor: descriptor, raw: raw)
  }

  private func refusal(_ bytes: [UInt8], raw: PipeFormat? = nil) -> String? {
    do {
      _ = try open(bytes, raw: raw)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func samples(_ input: PipeInput) throws -> [[Float]] {
    let rows = PlanarBuffer(channelCount: input.format.channelCount, frameCapacity: 4_096)
    var done = 0
    repeat {
      done += input.take(into: rows.channels, offset: done, atMost: 4_096 - done)
    } while try input.receive(milliseconds: -1, stop: -1) != .end
    return (0 ..< rows.channelCount).map { row in (0 ..< done).map { rows[row][$0] } }
  }

  // MARK: - Bad input

  @Test func `an empty stream is reported as such`() {
    #expect(
      refusal([])
        == "Standard input ended before any audio arrived. Check the messages of the program "
        + "before the pipe."
    )
  }

  @Test(arguments: [
    ("PK34 and so on", "\"PK34\""), ("\u{1}\u{2}ab more of it", "0x01 0x02 0x61 0x62"),
  ])
  func `a stream other than WAV is identified by its first bytes`(text: String, shown: String) {
    #expect(
      refusal(Array(text.utf8))
        == "Standard input is not a WAV stream: it begins with \(shown). Make the program before "
        + "the pipe write"
        + " WAV, or describe raw PCM with --raw, as in --raw 48000:2:S16.")
  }

  @Test(arguments: [2, 11, 20, 43])
  func `a truncated header is reported as such`(count: Int) {
    #expect(
      refusal(Array(Header().bytes.prefix(count)))
        == "Standard input ended within its WAV header. Check the messages of the program before "
        + "the pipe.")
  }

  @Test(arguments: [
    (Header(rate: 0), "a rate of 0 Hz"), (Header(channels: 0), "0 channels"),
    (Header(channels: 200), "200 channels"), (Header(bits: 12), "samples of kind 1 with 12 bits"),
    (Header(tag: 2, bits: 4), "samples of kind 2 with 4 bits"),
    (Header(rate: 1_000_000), "a rate of 1000000 Hz"),
  ])
  func `a header with an invalid format is refused`(header: Header, what: String) {
    #expect(
      refusal(header.bytes)
        == "The WAV header on standard input declares \(what), which is not supported. Make the "
        + "program"
        + " before the pipe write integers of 8 to 32 bits or floating point.")
  }

  @Test func `a header is refused if raw PCM was declared`() {
    let raw = PipeFormat(sampleRateHz: 48_000, channelCount: 2, format: .s16)
    #expect(
      refusal(Header().bytes, raw: raw)
        == "Standard input begins with a WAV header, which describes the format. Remove --raw.")
  }

  @Test func `a directory and a write-only descriptor are refused`() throws {
    let directory = Glibc.open("/tmp", O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    #expect(throws: PipeError.unreadable(reason: "it is a directory")) {
      try PipeInput(descriptor: directory)
    }
    let pipe = TestPipe()
    #expect(throws: PipeError.unreadable(reason: "it is open only for writing")) {
      try PipeInput(descriptor: pipe.writeEnd)
    }
  }

  @Test func `a terminal is refused in both directions`() {
    let terminal = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    #expect(terminal >= 0)
    defer { close(terminal) }
    #expect(throws: PipeError.inputIsTerminal) { try PipeInput(descriptor: terminal) }
    #expect(throws: PipeError.outputIsTerminal) {
      try PipeOutputSettings(descriptor: terminal).check()
    }
  }

  @Test func `waiting for a header ends when it is cancelled`() {
    let pipe = TestPipe()
    #expect(throws: PipeError.interrupted) {
      try PipeInput(descriptor: pipe.readEnd) { false }
    }
  }

  // MARK: - Headers as programs write them

  @Test(arguments: [0, 0x7fff_ffff, 0x7fff_ffdb, 0x8000_0000, 0xffff_ffff])
  func `an unknown size means until the end`(size: Int) throws {
    let input = try open(Header(dataSize: size).bytes + [0, 64, 0, 192] + [0, 32, 0, 0])
    #expect(try samples(input) == [[0.5, 0.25], [-0.5, 0]])
    #expect(input.note == nil)
  }

  @Test func `a known size ends the stream`() throws {
    let input = try open(Header(dataSize: 4).bytes + [0, 64, 0, 192] + Array("LIST....".utf8))
    #expect(try samples(input) == [[0.5], [-0.5]])
  }

  @Test func `a second file after the first one is reported`() throws {
    let file = Header(dataSize: 4).bytes + [0, 64, 0, 192]
    for tags in [[], Array("LIST".utf8) + little(4, 4) + Array("INFO".utf8)] {
      let input = try open(file + tags + file)
      #expect(try samples(input) == [[0.5], [-0.5]])
      #expect(
        input.note
          == "Standard input held a second WAV file, which was ignored. Join the files before the pipe, as in"
          + " `sox a.wav b.wav -t wav -`.")
    }
    let input = try open(file + Array("LIST....RIFF....AVI ".utf8))
    _ = try samples(input)
    #expect(input.note == nil)
  }

  @Test func `a stream that ends before its declared size is truncated`() throws {
    let input = try open(Header(dataSize: 40).bytes + [0, 64, 0, 192])
    _ = try samples(input)
    #expect(
      input.note == "Standard input is truncated: its header announces 10 frames, but it held 1.")
  }

  @Test(arguments: [
    (Header(bits: 8), DeviceFormat.u8), (Header(bits: 24), .s24Packed), (Header(bits: 32), .s32),
    (Header(tag: 3, bits: 32), .float), (Header(tag: 3, bits: 64), .float64),
    (Header(bits: 24, subTag: 1), .s24Packed), (Header(bits: 32, subTag: 3), .float),
  ])
  func `all usual sample formats are recognised`(header: Header, format: DeviceFormat) throws {
    #expect(try open(header.bytes).format.format == format)
  }

  @Test func `chunks before the format are skipped`() throws {
    let list = Array("LIST".utf8) + little(5, 4) + [1, 2, 3, 4, 5, 0]
    #expect(try open(Header(before: list).bytes).format.channelCount == 2)
  }

  @Test func `RF64 has its length in another chunk`() throws {
    let long =
      Array("ds64".utf8) + little(28, 4) + little(0, 8) + little(8, 8) + little(2, 8) + little(0, 4)
    let input = try open(
      Header(riff: "RF64", before: long).bytes + [0, 64, 0, 192, 0, 32, 0, 0, 9, 9, 9, 9])
    #expect(try samples(input) == [[0.5, 0.25], [-0.5, 0]])
  }

  @Test func `raw PCM begins at once, and an incomplete frame is dropped`() throws {
    let raw = try #require(PipeFormat(text: "44100:2:s16_le"))
    let input = try open([0, 64, 0, 192, 0, 32, 0, 0, 1], raw: raw)
    #expect(input.format.sampleRateHz == 44_100)
    #expect(try samples(input) == [[0.5, 0.25], [-0.5, 0]])
  }

  @Test(arguments: [
    "", "48000", "48000:2", "48000:0:S16", "0:2:S16", "48000:2:S17", "48000:2:S16:1",
    "48000:999:S16",
  ])
  func `an unknown format is refused`(text: String) {
    #expect(PipeFormat(text: text) == nil)
    #expect(RawFormat(text: text) == nil || text == "48000:999:S16")
  }

  @Test(arguments: ["fLaC", "FORM", "OggS"])
  func `an audio file of another kind is refused with the command to convert it`(beginning: String)
  {
    #expect(
      refusal(Array("\(beginning) and so on".utf8))
        == "Standard input is not a WAV stream: it begins with \"\(beginning)\". Convert it with "
        + "`ffmpeg -i - -f"
        + " wav -`: `outboard run` reads only WAV and raw PCM streams. `outboard render` also "
        + "reads other formats.")
  }

  @Test func `raw formats of files and of streams are written in the same way`() {
    for (text, format) in [("s24", SampleFormat.s24), ("S16_LE", .s16), ("Float", .float)] {
      #expect(
        RawFormat(text: "48000:300:\(text)")
          == RawFormat(sampleRateHz: 48_000, channelCount: 300, format: format))
    }
    // Four bytes for three: no file has this layout.
    #expect(PipeFormat(text: "48000:2:S24_LE") != nil && RawFormat(text: "48000:2:S24_LE") == nil)
  }
}
