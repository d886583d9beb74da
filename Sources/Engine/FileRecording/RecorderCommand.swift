// RecorderCommand.swift: the commands of a running recorder. SPDX-License-Identifier: MIT

import ErrorModel

/// A command to a recorder.
package enum RecorderCommand: Sendable, Equatable {
  /// Begin a take, including the pre-roll if there is one; continue if the recorder is paused.
  case start
  /// End the take.
  case stop
  /// Skip the following audio.
  case pause
  /// Record the following audio.
  case resume
  /// Continue in another file.
  case split
  /// Add this mark to the list next to the file.
  case mark(String)

  /// The words that name them.
  package static let keywords = ["start", "stop", "pause", "resume", "split", "mark"]

  /// Finds a command by name; `text` is the text of a marker. [any]
  package init?(_ word: String, text: String?) {
    switch word {
    case "start": self = .start
    case "stop": self = .stop
    case "pause": self = .pause
    case "resume": self = .resume
    case "split": self = .split
    case "mark": self = .mark(text ?? "")
    default: return nil
    }
  }
}

/// A command for the writer, with its frame.
struct ScheduledCommand {
  enum Action {
    case begin(Take)
    case end
    case pause
    case resume
    case split
    case mark(String)
  }

  /// Counted from the first frame that the recorder received, including lost frames.
  let position: Int
  let action: Action
}

extension Recording {
  /// Continues another recording from its first frame; obstacles are reported. [main]
  func continueRecording(as other: Recording) {
    let orders: [RecorderCommand] =
      switch (other.wanted, wanted) {
      case (.recording, .stopped): [.start]
      case (.paused, .stopped): [.start, .pause]
      case (.paused, .recording): [.pause]
      case (.stopped, .recording): [.stop]
      default: []
      }
    do {
      for order in orders { _ = try self.perform(order, at: 0) }
    } catch {
      notices.append(.recordingNotContinued(other.report.path, error))
    }
  }
}
