// LatencyView.swift: the output of a latency measurement as text and JSON. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import Console
import Session

/// Prints the rounds as they complete, and the result.
struct LatencyView {
  let stream: StreamDescription
  let isNonInteractive: Bool

  init(_ stream: StreamDescription, isNonInteractive: Bool) {
    self.stream = stream
    self.isNonInteractive = isNonInteractive
  }

  /// Prints the devices.
  func printHeader() {
    for note in stream.notes { Terminal.error.writeLine("outboard: \(note)") }
    guard !isNonInteractive else { return }
    for (word, side) in [("in ", stream.input), ("out", stream.output)] {
      if let side { Terminal.error.writeLine("\(word)  \(describe(side))") }
    }
    let linked = stream.isLinked ? ", linked" : ""
    Terminal.error.writeLine("     \(Int(stream.sampleRateHz)) Hz\(linked)")
  }

  private func describe(_ side: DeviceStream) -> String {
    let name = side.name.isEmpty || side.name == side.device ? "" : " (\(side.name))"
    let periods = side.bufferFrames / max(1, side.periodFrames)
    return "\(side.device)\(name), \(side.format), \(periods) x \(side.periodFrames) frames"
  }

  /// Prints the result of one round.
  func show(_ number: Int, _ round: LatencyMeasurement.Round) {
    guard !isNonInteractive else { return }
    let text =
      switch round {
      case .measured(let reading):
        "\(NumberFormat.fixed(reading.frames, places: 2)) frames, back at"
          + " \(NumberFormat.decibels(reading.gainDecibels)) dB,"
          + " \(NumberFormat.fixed(reading.confidenceDecibels, places: 0)) dB above the rest"
      case .silent: "no signal"
      case .disturbed(1): "invalid (1 xrun); measured again"
      case .disturbed(let count): "invalid (\(count) xruns); measured again"
      }
    Terminal.error.writeLine("round \(number): \(text)")
  }

  /// Prints the final result.
  func finish(_ outcome: LatencyMeasurement.Outcome, warnings: [String]) {
    var table = Table([.init(""), .init("", .right), .init("", .right), .init("")])
    func add(_ what: String, _ frames: Double, _ places: Int, _ remark: String) {
      let milliseconds = frames / stream.sampleRateHz * 1_000
      table.add([
        what, "\(NumberFormat.fixed(frames, places: places)) frames",
        "\(NumberFormat.fixed(milliseconds, places: 3)) ms", remark,
      ])
    }
    add("measured", outcome.frames, 2, "\(outcome.agreeingCount) rounds agree")
    if let implied = outcome.impliedFrames {
      let periods = "\(implied / max(1, stream.periodFrames)) x \(stream.periodFrames) frames"
      add("implied", Double(implied), 2, periods)
      add("difference", outcome.frames - Double(implied), 2, "converters and cable")
    }
    for line in table.lines(width: nil) { Terminal.output.writeLine(line) }
    for remark in remarks(outcome) + warnings { Terminal.error.writeLine("outboard: \(remark)") }
  }

  private func remarks(_ outcome: LatencyMeasurement.Outcome) -> [String] {
    var remarks: [String] = []
    if outcome.reading.isInverted {
      remarks.append("The polarity of the returned signal is inverted.")
    }
    if outcome.reading.isClipped {
      remarks.append("The returned signal clipped. Lower the input gain or --level.")
    }
    return remarks
  }
}

/// The JSON output of `outboard latency --json`.
struct LatencyReport: Encodable {
  struct Round: Encodable {
    let frames: Double?
    let gainDecibels: Double?
    let confidenceDecibels: Double?
    let xruns: Int

    init(_ round: LatencyMeasurement.Round) {
      var reading: LatencyReading?
      var count = 0
      switch round {
      case .measured(let measured): reading = measured
      case .silent: break
      case .disturbed(let xrunCount): count = xrunCount
      }
      frames = reading?.frames
      gainDecibels = reading?.gainDecibels
      confidenceDecibels = reading?.confidenceDecibels
      xruns = count
    }
  }

  let sampleRateHz: Double
  let periodFrames: Int
  let linked: Bool
  let measuredFrames: Double
  let measuredMilliseconds: Double
  let impliedFrames: Int?
  let differenceFrames: Double?
  let inverted: Bool
  let clipped: Bool
  let gainDecibels: Double
  let confidenceDecibels: Double
  let agreeingRounds: Int
  let rounds: [Round]
  let notes: [String]

  init(_ outcome: LatencyMeasurement.Outcome, _ stream: StreamDescription) {
    sampleRateHz = stream.sampleRateHz
    periodFrames = stream.periodFrames
    linked = stream.isLinked
    measuredFrames = outcome.frames
    measuredMilliseconds = outcome.frames / stream.sampleRateHz * 1_000
    impliedFrames = outcome.impliedFrames
    differenceFrames = outcome.impliedFrames.map { outcome.frames - Double($0) }
    inverted = outcome.reading.isInverted
    clipped = outcome.reading.isClipped
    gainDecibels = outcome.reading.gainDecibels
    confidenceDecibels = outcome.reading.confidenceDecibels
    agreeingRounds = outcome.agreeingCount
    rounds = outcome.rounds.map(Round.init)
    notes = stream.notes
  }
}
