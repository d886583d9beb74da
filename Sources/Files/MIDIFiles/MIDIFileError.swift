// MIDIFileError.swift: errors of MIDI files. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a MIDI file could not be read.
///
/// `path` is as the user gave it.
package enum MIDIFileError: Equatable {
  /// The path does not exist.
  case missing(path: String)
  /// The system refuses to read it.
  case unreadable(path: String, reason: String)
  /// The file does not begin as a MIDI file does.
  case notMIDI(path: String)
  /// The file is longer than the limit.
  case tooLong(path: String)
  /// The tracks are not to be played together.
  case independentTracks(path: String)
  /// The clock has no meaning.
  case impossibleClock(path: String)
  /// The file ends too early or contains invalid MIDI, in the track counted from 1.
  case malformed(path: String, track: Int, reason: String)
  /// The file has fewer tracks than its header announces, and no message.
  case truncated(path: String, trackCount: Int, announced: Int)
  /// No track has a message.
  case noMessages(path: String)

  /// The message for users.
  package var description: String {
    switch self {
    case .missing(let path):
      "\(path) does not exist. Give the path of a MIDI file."
    case .unreadable(let path, let reason):
      "\(path) cannot be read: \(reason)."
    case .notMIDI(let path):
      "\(path) is not a MIDI file. A MIDI file begins with \"MThd\"."
    case .tooLong(let path):
      "\(path) is longer than \(MIDIFile.longestByteCount >> 20) MiB, the limit for MIDI files."
    case .independentTracks(let path):
      "\(path) contains several sequences (format 2), which is not supported. Save one of them as"
        + " format 0 or 1."
    case .impossibleClock(let path):
      "\(path) has an invalid time division: 0."
    case .malformed(let path, let track, let reason):
      "\(path) is broken in track \(track): \(reason)."
    case .truncated(let path, let trackCount, let announced):
      "\(path) is truncated: its header announces \(announced) tracks, but it holds \(trackCount). Get a complete"
        + " copy."
    case .noMessages(let path):
      "\(path) has no MIDI messages in any track."
    }
  }
}

extension MIDIFileError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}
