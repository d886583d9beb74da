// MIDIFileTests.swift: reading MIDI files. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import MIDIFiles

/// A file from its chunks, in the order of the standard.
private func file(
  format: UInt8 = 0, division: [UInt8] = [0, 96], _ tracks: [UInt8]...
) -> [UInt8] {
  var bytes = Array("MThd".utf8) + [0, 0, 0, 6, 0, format, 0, UInt8(tracks.count)] + division
  for track in tracks {
    let count = UInt32(track.count)
    bytes +=
      Array("MTrk".utf8) + (0 ..< 4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
    bytes += track
  }
  return bytes
}

private let end: [UInt8] = [0, 0xFF, 0x2F, 0]

private func read(_ bytes: [UInt8]) throws -> MIDIFile {
  try MIDIFile(bytes: bytes, path: "song.mid")
}

@Suite struct `A MIDI file` {
  @Test func `plays at 120 quarter notes a minute by default`() throws {
    let song = try read(file([0, 0x90, 60, 100, 96, 0x80, 60, 0, 96, 0xFF, 0x2F, 0]))
    #expect(song.messages.map(\.bytes) == [[0x90, 60, 100], [0x80, 60, 0]])
    #expect(song.messages.map(\.seconds) == [0, 0.5])
    #expect(song.seconds == 1)
  }

  @Test func `follows its tempo map, in any track`() throws {
    // The tempo is 60 bpm at first, and 240 bpm from the second beat on.
    let map: [UInt8] =
      [0, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40, 96, 0xFF, 0x51, 3, 0x03, 0xD0, 0x90] + end
    let notes: [UInt8] = [96, 0x90, 60, 1, 96, 60, 0, 0x81, 0x40, 61, 9] + end
    let song = try read(file(format: 1, map, notes))
    #expect(song.messages.map(\.seconds) == [1, 1.25, 1.75])
    // Running status continues.
    #expect(song.messages.map(\.bytes) == [[0x90, 60, 1], [0x90, 60, 0], [0x90, 61, 9]])
  }

  @Test func `merges its tracks, simultaneous messages in track order`() throws {
    let song = try read(
      file(
        format: 1, [0, 0xC0, 5, 10, 0x90, 1, 1] + end, [0, 0xB0, 7, 90, 10, 0x90, 2, 2] + end,
        [5, 0xE0, 0, 64] + end))
    #expect(
      song.messages.map(\.bytes) == [
        [0xC0, 5], [0xB0, 7, 90], [0xE0, 0, 64], [0x90, 1, 1], [0x90, 2, 2],
      ])
  }

  @Test(
    arguments: [
      ([0xE7, 40], 1000), ([0xE8, 80], 1920), ([0xE3, 100], 3_000_000 / 1_001),
    ] as [([UInt8], Double)])
  func `uses film frames if the header says so`(division: [UInt8], ticks: Double) throws {
    let song = try read(file(division: division, [0x64, 0x90, 60, 1] + end))
    #expect(abs(song.messages[0].seconds - 100 / ticks) < 1e-12)
  }

  @Test func `has system-exclusive messages, complete or in parts`() throws {
    let song = try read(
      file(
        [0, 0xF0, 4, 0x7E, 1, 2, 0xF7]  // complete
          + [0, 0xF0, 2, 0x43, 1, 10, 0xF7, 2, 2, 3, 10, 0xF7, 2, 4, 0xF7]  // in three pieces
          + [0, 0xF7, 1, 0xF8]  // escaped
          + [0, 0xF0, 3, 0x43, 0x90, 0xF7]  // with a status byte inside, which would end it
          + end))
    #expect(
      song.messages.map(\.bytes) == [
        [0xF0, 0x7E, 1, 2, 0xF7], [0xF0, 0x43, 1, 2, 3, 4, 0xF7], [0xF8],
      ])
  }

  @Test func `may have an envelope and unknown chunks`() throws {
    let plain = file([0, 0x90, 60, 1] + end)
    var odd = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("RMID".utf8)
    odd += Array("INFO".utf8) + [3, 0, 0, 0, 1, 2, 3, 0] + Array("data".utf8)
    odd += [UInt8(plain.count), 0, 0, 0]
    odd += plain[..<14] + Array("XFIH".utf8) + [0, 0, 0, 2, 9, 9] + plain[14...]
    #expect(try read(odd) == read(plain))
  }

  @Test func `ends notes that are still on at its end`() throws {
    let song = try read(
      file(
        [0, 0x91, 60, 9, 0, 60, 9, 0, 62, 9, 0, 62, 0, 0, 64, 9, 0, 0x81, 64, 0]
          + [0, 0xB1, 64, 127, 0, 0xB2, 64, 127, 0, 64, 0, 96, 0xFF, 0x2F, 0]))
    #expect(
      song.endings.map(\.bytes) == [[0x81, 60, 64], [0x81, 60, 64], [0xB1, 64, 0]])
    #expect(song.endings.allSatisfy { $0.seconds == 0.5 })
  }

  @Test func `is no longer than its last track`() throws {
    // Without an end-of-track event, the last event is the end.
    #expect(try read(file([96, 0x90, 60, 1])).seconds == 0.5)
    // Messages after the end are ignored.
    #expect(try read(file([0, 0x90, 60, 1] + end + [96, 0x90, 61, 1])).messages.count == 1)
  }

  @Test(
    arguments: [
      ([], "song.mid is not a MIDI file. A MIDI file begins with \"MThd\"."),
      (
        Array("RIFF    WAVEfmt ".utf8),
        "song.mid is not a MIDI file. A MIDI file begins with "
          + "\"MThd\"."
      ),
      (
        Array("MThd".utf8) + [0, 0, 0, 6, 0],
        "song.mid is not a MIDI file. A MIDI file begins "
          + "with \"MThd\"."
      ),
      (file(), "song.mid has no MIDI messages in any track."),
      (file(end), "song.mid has no MIDI messages in any track."),
      (
        Array("MThd".utf8) + [0, 0, 0, 6, 0, 1, 0xFF, 0xFF, 0, 96],
        "song.mid is truncated: its header announces 65535 tracks, but it holds 0. Get a complete copy."
      ),
      (
        file(division: [0, 0], [0, 0x90, 1, 1]),
        "song.mid has an invalid time division: 0."
      ),
      (
        file(format: 2, [0, 0x90, 1, 1], [0, 0x90, 1, 1]),
        "song.mid contains several sequences (format 2), which is not supported. Save one of them "
          + "as"
          + " format 0 or 1."
      ),
      (
        file([0, 0x90, 60, 1], [0, 0x90, 60]),
        "song.mid is broken in track 2: it ends in the middle of an event."
      ),
      (
        file([0, 60, 1]), "song.mid is broken in track 1: it has data (60) before any message."
      ),
      (
        file([0, 0x90, 0x90, 1]),
        "song.mid is broken in track 1: a message has 144 for a value of 0 to 127."
      ),
      (
        file([0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x90, 1, 1]),
        "song.mid is broken in track 1: a number in it is longer than four bytes."
      ),
      (
        file([0, 0xF0, 0xFF, 0xFF, 0x7F, 1]),
        "song.mid is broken in track 1: it ends in the middle of an event."
      ),
    ] as [([UInt8], String)])
  func `with a fault is refused with the position`(bytes: [UInt8], message: String) {
    #expect {
      try read(bytes)
    } throws: { "\($0)" == message }
  }

  @Test func `of random bytes is read or refused`() throws {
    var state: UInt64 = 7
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let good = file(
      format: 1, [0, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40] + end,
      [0, 0x90, 60, 1, 96, 60, 0, 0, 0xF0, 3, 1, 2, 0xF7, 10, 0xF7, 1, 0xF8] + end)
    var readCount = 0
    for _ in 0 ..< 5_000 {
      var bytes = good
      for _ in 0 ... random(4) {
        switch random(3) {
        case 0: bytes[random(bytes.count)] = UInt8(random(256))
        case 1: bytes.removeSubrange(random(bytes.count)...)
        default: bytes.insert(UInt8(random(256)), at: random(bytes.count))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      guard let song = try? read(bytes) else { continue }
      readCount += 1
      #expect(song.messages.allSatisfy { $0.seconds.isFinite && $0.seconds >= 0 })
      #expect(song.messages.allSatisfy { !$0.bytes.isEmpty })
    }
    #expect(readCount > 100)
  }

  @Test func `that is missing is distinguished from an unreadable one`() throws {
    #expect(throws: MIDIFileError.missing(path: "/nowhere/song.mid")) {
      try MIDIFile(path: "/nowhere/song.mid")
    }
    #expect(throws: MIDIFileError.unreadable(path: "/tmp", reason: "is a directory")) {
      try MIDIFile(path: "/tmp")
    }
  }
}
