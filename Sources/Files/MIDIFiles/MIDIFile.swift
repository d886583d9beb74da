// MIDIFile.swift: a Standard MIDI File as messages in time. SPDX-License-Identifier: MIT

import CFiles
import Glibc

/// The events of a MIDI file, all tracks merged.
///
/// Formats 0 and 1 of "Standard MIDI Files 1.0" (MIDI Manufacturers Association, RP-001), plain or
/// in a RIFF envelope (RP-029). Times follow the tempo map or SMPTE frames. Events for sequencers
/// only (names, lyrics, markers, key signatures) are skipped.
package struct MIDIFile: Sendable, Equatable {
  /// A message, and when it is played.
  package struct Message: Sendable, Equatable {
    /// Seconds from the start.
    package var seconds: Double
    /// The whole message, without running status; a system-exclusive one with its first and last byte.
    package var bytes: [UInt8]

    /// A message at its time.
    package init(seconds: Double, bytes: [UInt8]) {
      self.seconds = seconds
      self.bytes = bytes
    }
  }

  /// In the order of time; those of one moment in the order of the tracks.
  package var messages: [Message]
  /// When the last track ends, in seconds: at the last message or later.
  package var seconds: Double

  /// Longer files are refused.
  package static let longestByteCount = 64 << 20

  /// Reads a file. [any]
  package init(path: String) throws(MIDIFileError) {
    try self.init(bytes: Self.content(of: path), path: path)
  }

  /// Reads the content of a file; errors name `path`. [any]
  package init(bytes: [UInt8], path: String) throws(MIDIFileError) {
    let chunks = try MIDIChunks(bytes, path: path)
    var tracks: [MIDITrack] = []
    for (index, range) in chunks.tracks.enumerated() {
      tracks.append(try MIDITrack(bytes[range], number: index + 1, path: path))
    }
    let clock = TempoMap(chunks.division, tempi: tracks.flatMap(\.tempi))
    let merged = tracks.flatMap(\.messages)
      // Swift's sort is stable.
      .sorted { $0.tick < $1.tick }
    guard !merged.isEmpty else {
      guard tracks.count < chunks.announcedTrackCount else { throw .noMessages(path: path) }
      throw .truncated(
        path: path, trackCount: tracks.count, announced: chunks.announcedTrackCount)
    }
    messages = merged.map {
      Message(seconds: clock.seconds(at: $0.tick), bytes: $0.bytes)
    }
    seconds = clock.seconds(at: tracks.map(\.endTick).max() ?? 0)
  }

  private static func content(of path: String) throws(MIDIFileError) -> [UInt8] {
    var kind = CFILES_NOTHING
    let descriptor = unsafe path.utf8.contains(0) ? -1 : cfiles_open_regular(path, false, &kind)
    guard descriptor >= 0, let file = unsafe fdopen(descriptor, "rb") else {
      if [CFILES_PIPE, CFILES_SOCKET, CFILES_DEVICE].contains(kind) {
        throw .unreadable(
          path: path, reason: unsafe "it is \(String(cString: cfiles_kind_name(kind))), not a file")
      }
      if errno == ENOENT { throw .missing(path: path) }
      throw .unreadable(path: path, reason: reason())
    }
    defer { unsafe fclose(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      content += buffer[..<count]
      guard content.count <= longestByteCount else { throw .tooLong(path: path) }
      if count == buffer.count { continue }
      if unsafe ferror(file) != 0 { throw .unreadable(path: path, reason: reason()) }
      return content
    }
  }

  private static func reason() -> String {
    let text = unsafe String(cString: strerror(errno))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
