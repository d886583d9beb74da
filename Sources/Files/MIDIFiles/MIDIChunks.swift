// MIDIChunks.swift: the header and tracks of a MIDI file. SPDX-License-Identifier: MIT

/// The unit of a file's ticks.
enum MIDIDivision: Equatable {
  /// The number of ticks in a quarter note.
  case perQuarter(Int)
  /// The number of ticks in a second.
  case perSecond(Double)
}

/// The parts of a file, not yet looked into.
struct MIDIChunks {
  let division: MIDIDivision
  /// The number of tracks that the header announces.
  let announcedTrackCount: Int
  /// The content of each track; the last one may be truncated.
  let tracks: [Range<Int>]

  private static let headerBytes = 14

  init(_ bytes: [UInt8], path: String) throws(MIDIFileError) {
    let start = Self.start(bytes)
    guard Self.hasChunkID("MThd", bytes, at: start), bytes.count >= start + Self.headerBytes,
      let length = Self.number(bytes, at: start + 4, byteCount: 4), length >= 6,
      let format = Self.number(bytes, at: start + 8, byteCount: 2),
      let trackCount = Self.number(bytes, at: start + 10, byteCount: 2),
      let division = Self.number(bytes, at: start + 12, byteCount: 2)
    else { throw .notMIDI(path: path) }
    announcedTrackCount = trackCount
    self.division = try Self.division(division, path)
    var tracks: [Range<Int>] = []
    var offset = start + 8 + length
    // The standard requires that unknown chunks are skipped.
    while let length = Self.number(bytes, at: offset + 4, byteCount: 4) {
      let content = offset + 8
      let end = min(bytes.count, content + length)
      if Self.hasChunkID("MTrk", bytes, at: offset) { tracks.append(content ..< end) }
      offset = content + length
    }
    guard format != 2 || tracks.count < 2 else { throw .independentTracks(path: path) }
    self.tracks = tracks
  }

  /// Returns the start of the MIDI data, after an optional envelope: `RIFF`, size, `RMID`, then the
  /// chunk `data`.
  private static func start(_ bytes: [UInt8]) -> Int {
    guard hasChunkID("RIFF", bytes, at: 0), hasChunkID("RMID", bytes, at: 8) else { return 0 }
    var offset = 12
    while offset + 8 <= bytes.count, !hasChunkID("data", bytes, at: offset) {
      let length = (0 ..< 4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
      offset += 8 + length + length % 2
    }
    return offset + 8
  }

  private static func hasChunkID(_ name: String, _ bytes: [UInt8], at offset: Int) -> Bool {
    offset + 4 <= bytes.count && bytes[offset ..< offset + 4].elementsEqual(name.utf8)
  }

  /// Big-endian; nil beyond the end.
  private static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> Int? {
    guard offset + byteCount <= bytes.count else { return nil }
    return bytes[offset ..< offset + byteCount].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func division(_ word: Int, _ path: String) throws(MIDIFileError) -> MIDIDivision {
    guard word & 0x8000 != 0 else {
      guard word > 0 else { throw .impossibleClock(path: path) }
      return .perQuarter(word)
    }
    // The frame rate is negative, and 29 means 30 frames with drop frames: 29.97 per second.
    let frames = -Int(Int8(truncatingIfNeeded: word >> 8))
    let ticks = word & 0xFF
    guard frames > 0, ticks > 0 else { throw .impossibleClock(path: path) }
    let framesPerSecond = frames == 29 ? 30_000 / 1_001 : Double(frames)
    return .perSecond(framesPerSecond * Double(ticks))
  }
}
