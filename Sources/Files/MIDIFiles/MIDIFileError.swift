// MIDIFileError.swift: what can be wrong with a MIDI file, each as one sentence. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a MIDI file could not be read.
///
/// `path` is as the user gave it.
package enum MIDIFileError: Equatable {
  /// There is nothing at the path.
  case missing(path: String)
  /// The system refuses to read it.
  case unreadable(path: String, reason: String)
  /// It does not begin as a MIDI file does.
  case notMIDI(path: String)
  /// It is longer than any that is meant.
  case tooLong(path: String)
  /// Its tracks are not to be played together.
  case independentTracks(path: String)
  /// Its clock has no meaning.
  case impossibleClock(path: String)
  /// It ends too early, or has something that is no MIDI, in the track counted from 1.
  case broken(path: String, track: Int, reason: String)
  /// No track has a message.
  case noMessages(path: String)

  /// One sentence for people.
  package var description: String {
    switch self {
    case .missing(let path):
      "\(path) does not exist; give the path of a MIDI file."
    case .unreadable(let path, let reason):
      "\(path) cannot be read: \(reason)."
    case .notMIDI(let path):
      "\(path) is no MIDI file; one begins with \"MThd\"."
    case .tooLong(let path):
      "\(path) is longer than \(MIDIFile.longestByteCount >> 20) MiB, so it is hardly a MIDI file."
    case .independentTracks(let path):
      "\(path) holds several pieces (format 2), and it cannot be told which is meant; save one of"
        + " them as format 0 or 1."
    case .impossibleClock(let path):
      "\(path) does not say how long a beat is: its time division is 0."
    case .broken(let path, let track, let reason):
      "\(path) is broken in track \(track): \(reason)."
    case .noMessages(let path):
      "\(path) has nothing to play: no track has a message."
    }
  }
}

extension MIDIFileError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
