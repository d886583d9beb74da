// Outcome.swift: the result of a run on the scripted machine. SPDX-License-Identifier: MIT

import Foundation

/// A run, as the program reported it, and its output.
struct Outcome {
  /// The exit status; 97 if the virtual time stopped, 98 if it reached its limit.
  let status: Int32
  /// The requested duration.
  let seconds: Double
  /// Everything that was written.
  let text: String
  /// The program's events.
  let events: [Event]
  /// The output; nil if the process crashed.
  let captured: Report?

  init(status: Int32, seconds: Double, text: String, report: Data?) {
    self.status = status
    self.seconds = seconds
    self.text = text
    events = text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
    captured = report.flatMap { try? JSONDecoder().decode(Report.self, from: $0) }
  }

  /// The last report of the program.
  var last: Event? { events.last }

  /// The output of a card.
  func stretches(_ card: String = "Desk") -> [Report.Stretch] {
    stream(card, "playback")?.stretches ?? []
  }

  /// One direction of a card.
  func stream(_ card: String = "Desk", _ direction: String) -> Report.Stream? {
    captured?.streams.first { $0.card == card && $0.direction == direction }
  }

  /// A line of driver-check.
  struct Event: Decodable {
    let event: String
    let xruns: Int
    let lost: Double
    let clipped: Int
    /// Frames that the graph rendered.
    let frames: Int
    /// The duration of the stop, in seconds; 0 before it.
    let took: Double
    let period: Int
    let rate: Int
    let linked: Bool
    let notes: [String]
    let failure: String?
    let devices: [String]?
    /// Why a device is not running; empty for one that is.
    let reasons: [String]?
    /// The device that is open now, if it is not the requested one; otherwise empty.
    let places: [String]?
    /// In parts per million, for each device with its own clock.
    let drift: [Double?]?
    let resynchronised: [Int]?
  }

  /// The report of the scripted machine.
  struct Report: Decodable {
    /// Virtual time at the end.
    let seconds: Double
    /// The number of calls of each function: for capture, and for playback or neither.
    let calls: [String: [Int]]
    let streams: [Stream]

    struct Stream: Decodable {
      let card: String
      let direction: String
      let opens: Int
      let starts: Int
      let rate: Int
      let period: Int
      let buffer: Int
      let stretches: [Stretch]
    }

    /// Consecutive frames of one kind.
    ///
    /// Positions are counted by the card's clock.
    struct Stretch: Decodable, Equatable {
      enum Kind: String, Decodable {
        /// The source, in every bit and in order.
        case exact = "e"
        case silence = "s"
        /// Neither: faded, or wrong.
        case other = "o"
      }

      let kind: Kind
      let at: Int
      let count: Int
      /// For exact audio: the number of its first frame in the source.
      let source: Int
      /// For other output: the minimum and maximum gain, and its greatest step.
      let low: Double
      let high: Double
      let step: Double

      var end: Int { at + count }
      var sourceEnd: Int { source + count }
    }
  }
}
