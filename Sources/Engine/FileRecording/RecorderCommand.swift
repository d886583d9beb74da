// RecorderCommand.swift: the commands of a running recorder. SPDX-License-Identifier: MIT

/// A command to a recorder.
package enum RecorderCommand: Sendable, Equatable {
  /// Begin a take, including the pre-roll if there is one; continue if the recorder is paused.
  case start
  /// End the take.
  case stop
  /// Leave out what follows.
  case pause
  /// Take in what follows.
  case resume
  /// Continue in another file.
  case split
  /// Add this mark to the list next to the file.
  case mark(String)

  /// The words that name them.
  package static let words = ["start", "stop", "pause", "resume", "split", "mark"]

  /// The one that a word names; `text` is what is noted. [any]
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

/// An order on its way to the writer, with the frame that it is for.
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
  let deed: Action
}

extension Recording {
  /// Continues another recording from its first frame; obstacles are reported. [main]
  func proceed(as other: Recording) {
    let orders: [RecorderCommand] =
      switch (other.wanted, wanted) {
      case (.recording, .waiting): [.start]
      case (.paused, .waiting): [.start, .pause]
      case (.paused, .recording): [.pause]
      case (.waiting, .recording): [.stop]
      default: []
      }
    do {
      for order in orders { _ = try self.order(order, at: 0) }
    } catch {
      let kept = "The recording so far is in \(other.report.path)."
      update { $0.notices.append("\(error) \(kept)") }
    }
  }
}
