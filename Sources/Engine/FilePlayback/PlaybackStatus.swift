// PlaybackStatus.swift: what the reader of files and those who ask share. SPDX-License-Identifier: MIT

/// The status of a player.
package struct PlayerStatus: Sendable, Equatable {
  /// The playback state.
  package enum State: Sendable {
    /// It plays.
    case playing
    /// It waits for its start, or is paused.
    case silent
    /// All was played.
    case ended
  }

  /// The file that it is in.
  package let file: String
  /// Its place in the list.
  package let number: Int
  /// Where in it, in seconds.
  package let seconds: Double
  /// How long it is, in seconds; nil where that is not known.
  package let fileSeconds: Double?
  /// The playback state.
  package let state: State
}

/// What is behind a playback's lock.
struct PlaybackStatus {
  /// What a place in the ring is in the files.
  struct FilePosition {
    let place: Int
    let position: Playlist.Position
    let fileSeconds: Double?
  }

  var isWanted: Bool
  var isRunning = false
  var notices: [String] = []
  var hasToldStarving = false
  var silencedSampleCount = 0
  /// Where somebody wants to go; only the last wish counts.
  var jump: Playlist.Position?
  /// In the order of the ring.
  private var marks: [FilePosition] = []

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// The file that is being read.
  var file: Int { marks.last?.position.file ?? 0 }

  mutating func takeJump() -> Playlist.Position? {
    defer { jump = nil }
    return jump
  }

  mutating func note(_ mark: FilePosition, heard: Int) {
    // The current file, and the following ones.
    while marks.count > 1, marks[1].place <= heard { marks.removeFirst() }
    marks.append(mark)
  }

  /// Returns the file position that is played at a ring position.
  func mark(at place: Int) -> FilePosition {
    marks.last { $0.place <= place } ?? marks.first
      ?? FilePosition(place: 0, position: Playlist.Position(), fileSeconds: nil)
  }
}
