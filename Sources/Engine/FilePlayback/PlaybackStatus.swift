// PlaybackStatus.swift: data that the reader of files shares with other threads.
// SPDX-License-Identifier: MIT

/// The status of a player.
package struct PlayerStatus: Sendable, Equatable {
  /// The playback state.
  package enum State: Sendable {
    /// The player plays.
    case playing
    /// The player waits for its start, or is paused.
    case stopped
    /// All was played.
    case ended
  }

  /// The file of the present position.
  package let file: String
  /// The position in the list.
  package let number: Int
  /// The position in the file, in seconds.
  package let seconds: Double
  /// The length of the file, in seconds; nil if unknown.
  package let fileSeconds: Double?
  /// The playback state.
  package let state: State
}

/// The data that a playback's lock guards.
struct PlaybackStatus {
  /// The file position of a ring position.
  struct FilePosition {
    let ringFrame: Int
    let position: Playlist.Position
    let fileSeconds: Double?
  }

  var isWanted: Bool
  var isRunning = false
  var hasReportedUnderrun = false
  var silencedSampleCount = 0
  /// The target of a jump; a newer jump replaces it.
  var jump: Playlist.Position?
  /// In the order of the ring.
  private var marks: [FilePosition] = []

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// The file that is being read.
  var file: Int { marks.last?.position.file ?? 0 }

  /// Returns the file that is being read, once.
  mutating func takeStarvedFile() -> Int? {
    defer { hasReportedUnderrun = true }
    return hasReportedUnderrun ? nil : file
  }

  mutating func takeJump() -> Playlist.Position? {
    defer { jump = nil }
    return jump
  }

  mutating func record(_ mark: FilePosition, played: Int) {
    // The current file, and the following ones.
    while marks.count > 1, marks[1].ringFrame <= played { marks.removeFirst() }
    marks.append(mark)
  }

  /// Returns the file position that is played at a ring position.
  func mark(at ringFrame: Int) -> FilePosition {
    marks.last { $0.ringFrame <= ringFrame } ?? marks.first
      ?? FilePosition(ringFrame: 0, position: Playlist.Position(), fileSeconds: nil)
  }
}
