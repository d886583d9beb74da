// AudioFileErrorTests.swift: the message of every error. SPDX-License-Identifier: MIT

import AudioTestSupport
import Foundation
import Synchronization
import Testing

@testable import AudioFiles

@Suite struct AudioFileErrorTests {
  private func wave(rate: UInt32, byteCount: Int, promised: UInt32? = nil) -> [UInt8] {
    func four(_ value: UInt32) -> [UInt8] { (0 ..< 4).map { UInt8(value >> (8 * $0) & 255) } }
    return Array("RIFF".utf8) + four(36 + UInt32(byteCount)) + Array("WAVEfmt ".utf8) + four(16)
      + [1, 0, 1, 0] + four(rate) + four(rate &* 2) + [2, 0, 16, 0] + Array("data".utf8)
      + four(promised ?? UInt32(byteCount)) + [UInt8](repeating: 1, count: byteCount)
  }

  @Test func `a bad input is refused with a message`() throws {
    let scratch = try TemporaryDirectory()
    func reading(_ path: String) -> String { message { _ = try decodeAudio(path) } }
    let gone = scratch.file("gone.wav")
    #expect(
      reading(gone)
        == "\(gone) does not exist. Give the path of an audio file, or - for standard input.")
    #expect(
      reading(scratch.path) == "\(scratch.path) is a directory. Give the path of an audio file.")
    let text = try scratch.put("text.wav", Array("no sound at all".utf8))
    #expect(
      reading(text) == "\(text) is not a readable audio file (format not recognised).")
    let empty = try scratch.put("empty.wav", wave(rate: 48_000, byteCount: 0))
    #expect(reading(empty) == "\(empty) contains no audio: its length is 0 frames.")
    for rate in [0, 2_000_000] as [UInt32] {
      let path = try scratch.put("rate\(rate).wav", wave(rate: rate, byteCount: 400))
      #expect(
        reading(path)
          == "\(path) declares a sample rate of \(rate) Hz. Supported: 1 to 768000 Hz.")
    }
  }

  @Test func `an error is that of its file, while other threads open others`() throws {
    let scratch = try TemporaryDirectory()
    let text = try scratch.put("text.wav", Array("no sound at all".utf8))
    let bytes = wave(rate: 48_000, byteCount: 400)
    let good = try scratch.put("good.wav", bytes)
    let wrong = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: 6) { worker in
      for _ in 0 ..< 2_000 {
        switch worker % 3 {
        case 0: _ = try? AudioFileReader(path: good)
        case 1: readPipe(bytes)
        default:
          let reason = message { _ = try AudioFileReader(path: text) }
          if reason.hasSuffix("(format not recognised).") { continue }
          wrong.withLock { _ = $0.insert(reason) }
        }
      }
    }
    #expect(wrong.withLock { $0 } == [])
  }

  /// Opens a pipe that contains the bytes, at the same time as others open files.
  private func readPipe(_ bytes: [UInt8]) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return }
    _ = bytes.withUnsafeBytes { Glibc.write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    _ = try? AudioFileReader(stream: ends[0])
    close(ends[0])
  }

  @Test func `a truncated file is read up to its end, with a note`() throws {
    let scratch = try TemporaryDirectory()
    let cut = try scratch.put("cut.wav", wave(rate: 48_000, byteCount: 400, promised: 1000))
    let captured = try decodeAudio(cut)
    #expect(captured.samples.count == 200)
    #expect(
      captured.note
        == "\(cut) is truncated: its header announces 500 frames, but it holds 200.")
    // A program that writes to a pipe cannot know the size, so this is not a truncation.
    let open = try scratch.put("open.wav", wave(rate: 48_000, byteCount: 400, promised: .max))
    #expect(try decodeAudio(open).note == nil)
  }

  @Test func `a truncated FLAC file has a note too`() throws {
    let scratch = try TemporaryDirectory()
    try write(noise(100_000), to: scratch.file("a.flac"), channels: 1)
    let bytes = try scratch.bytes("a.flac")
    let cut = try scratch.put("cut.flac", Array(bytes.prefix(bytes.count / 2)))
    let captured = try decodeAudio(cut)
    #expect(captured.samples.count > 20_000 && captured.samples.count < 60_000)
    #expect(
      captured.note
        == "\(cut) is truncated: its header announces 100000 frames, but it holds"
        + " \(captured.samples.count).")
  }

  @Test func `an invalid output is refused with a message`() throws {
    let scratch = try TemporaryDirectory()
    func writing(
      _ name: String, channels: Int = 1, rate: Int = 48_000, format: SampleFormat? = nil
    ) -> String {
      message {
        try write(
          [Float](repeating: 0, count: channels), to: scratch.file(name), channels: channels,
          rate: rate, format: format)
      }
    }
    let there = try scratch.put("there.wav", [1])
    #expect(
      writing("there.wav")
        == "\(there) already exists. Choose another name or overwrite it with --force.")
    #expect(
      writing("no/a.wav")
        == "\(scratch.file("no/a.wav")) cannot be written: no such directory: "
        + "\(scratch.file("no"))."
    )
    #expect(
      writing("a.mp4")
        == "\(scratch.file("a.mp4")) cannot be written: its extension is not one of"
        + " .wav, .flac, .ogg, .oga, .opus, .mp3, .aiff, .aif, .caf, .au or .raw.")
    #expect(
      writing("a.flac", format: .float)
        == "\(scratch.file("a.flac")) cannot hold float samples: FLAC offers s16 and s24.")
    #expect(
      writing("a.flac", channels: 9)
        == "\(scratch.file("a.flac")) cannot hold 9 channels: FLAC has at most 8. Use WAV or CAF"
        + " for more.")
    #expect(
      writing("a.flac", rate: 768_000)
        == "\(scratch.file("a.flac")) cannot have a sample rate of 768000 Hz: FLAC offers"
        + " 1 to 655350 Hz.")
    #expect(
      writing("a.opus", rate: 44_100)
        == "\(scratch.file("a.opus")) cannot have a sample rate of 44100 Hz: Opus offers"
        + " 8000, 12000, 16000, 24000 and 48000 Hz. Convert the audio first, for example with"
        + " `sox in.wav -r 48000 out.wav`.")
    #expect(
      writing("a.ogg", channels: 256)
        == "\(scratch.file("a.ogg")) cannot hold 256 channels: Ogg Vorbis has at most 255. Use WAV"
        + " or CAF for more.")
    #expect(scratch.names == ["there.wav"])
  }

  @Test func `standard output that was closed is reported before anything is written`() throws {
    let closed = open("/dev/null", O_RDONLY)
    defer { close(closed) }
    var settings = AudioFileWriter.Settings(path: "-", sampleRateHz: 48_000, channelCount: 1)
    settings.standardOutput = closed
    #expect(
      message { _ = try AudioFileWriter(settings) }
        == "Standard output cannot be written: it is closed. Redirect it to a file or pipe it to a program."
    )
  }

  @Test func `a full disk is distinguished from other errors`() throws {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let settings = AudioFileWriter.Settings(path: "-", sampleRateHz: 48_000, channelCount: 1)
    #expect(
      message {
        var writer = try AudioFileWriter(settings, stream: full, name: "Standard output")
        try writer.write(noise(48_000), frameCount: 48_000)
      } == "Writing standard output failed at 0.0 s: no space left on device.")
    #expect(
      AudioFileError.diskFull(path: "a.wav", seconds: 1.26).description
        == "The disk is full: a.wav stopped at 1.3 s and was removed.")
    #expect(
      AudioFileError.diskFull(path: "a.wav", seconds: 1.26, keepsOther: true).description
        == "The disk is full: a.wav stopped at 1.3 s. The previous file is"
        + " unchanged.")
  }
}
