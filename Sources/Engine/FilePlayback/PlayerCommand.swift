// PlayerCommand.swift: what a player can be told while it runs. SPDX-License-Identifier: MIT

package import ErrorModel

/// What a player can be told.
package enum PlayerCommand: Sendable, Equatable {
  /// Play on from where it stands; from the beginning where it has ended.
  case start
  /// Fall silent, and go back to the beginning.
  case stop
  /// Fall silent, and stay where it is.
  case pause
  /// Go on with the file before this one.
  case previous
  /// Go on with the file after this one.
  case next
  /// Go on elsewhere in the file, in seconds from its beginning.
  case seek(Double)

  /// The words that name them.
  package static let words = ["start", "stop", "pause", "seek", "next", "previous"]

  /// The one that a word names; `seconds` is where to seek. [any]
  package init?(_ word: String, seconds: Double?) {
    switch word {
    case "start": self = .start
    case "stop": self = .stop
    case "pause": self = .pause
    case "next": self = .next
    case "previous": self = .previous
    case "seek": self = .seek(seconds ?? 0)
    default: return nil
    }
  }
}

/// Why a player does not do what it is told.
package enum PlayerError: Equatable {
  /// It lies beyond the end.
  case pastEnd(path: String, seconds: Double)
  /// It plays, and is to be started.
  case playing(path: String)
  /// It is to be paused, and does not play.
  case notPlaying
  /// There is no file after it, or before it.
  case noOther(path: String, isNext: Bool)

  package var description: String {
    switch self {
    case .pastEnd(let path, let seconds):
      "\(path) is only \((seconds * 10).rounded(.down) / 10) s long."
    case .playing(let path): "\(path) is being played already."
    case .notPlaying: "nothing is being played."
    case .noOther(let path, let isNext):
      isNext ? "\(path) is the last file." : "\(path) is the first file."
    }
  }
}

extension PlayerError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
