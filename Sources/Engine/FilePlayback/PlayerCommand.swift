// PlayerCommand.swift: the commands of a running player. SPDX-License-Identifier: MIT

package import ErrorModel

/// A command for a player.
package enum PlayerCommand: Sendable, Equatable {
  /// Play from the current position; from the beginning after the end.
  case start
  /// Fall silent, and go back to the beginning.
  case stop
  /// Become silent and keep the position.
  case pause
  /// Continue with the previous file.
  case previous
  /// Continue with the next file.
  case next
  /// Continue at this position in the file, in seconds from its beginning.
  case seek(Double)

  /// The words that name them.
  package static let keywords = ["start", "stop", "pause", "seek", "next", "previous"]

  /// Finds a command by name; `seconds` is the target of a seek. [any]
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

/// The reason why a player cannot execute a command.
package enum PlayerError: Equatable {
  /// The position is after the end.
  case pastEnd(path: String, seconds: Double)
  /// The player is already playing.
  case playing(path: String)
  /// The player cannot pause, because it is not playing.
  case notPlaying
  /// No next or previous file exists.
  case noOther(path: String, isNext: Bool)

  package var description: String {
    switch self {
    case .pastEnd(let path, let seconds):
      "\(path) is only \((seconds * 10).rounded(.down) / 10) s long."
    case .playing(let path): "\(path) is already playing."
    case .notPlaying: "nothing is playing."
    case .noOther(let path, let isNext):
      isNext ? "\(path) is the last file." : "\(path) is the first file."
    }
  }
}

extension PlayerError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}
