// FindPeriodView.swift: the results table of `find-period`, live and as JSON. SPDX-License-Identifier: MIT

import AudioDriver
import Console
import Session

/// The terminal output of `find-period`.
final class FindPeriodView {
  private let isNonInteractive: Bool
  private let seconds: Double
  private let loadPercent: Double
  private var line = StatusLine(.error)

  init(isNonInteractive: Bool, seconds: Double, loadPercent: Double) {
    self.isNonInteractive = isNonInteractive
    self.seconds = seconds
    self.loadPercent = loadPercent
  }

  /// Prints the device and the table header.
  func printHeader(_ stream: StreamDescription) {
    guard !isNonInteractive else { return }
    for (word, side) in [("in ", stream.input), ("out", stream.output)] {
      guard let side else { continue }
      let name = side.name.isEmpty || side.name == side.device ? "" : " (\(side.name))"
      Terminal.error.writeLine("\(word)  \(side.device)\(name), \(side.format)")
    }
    let linked = stream.isLinked ? ", linked" : ""
    Terminal.error.writeLine(
      "     \(Int(stream.sampleRateHz)) Hz\(linked), \(NumberFormat.short(seconds)) s each, rendering takes"
        + " \(NumberFormat.short(loadPercent)) % of each period")
    Terminal.error.writeLine("     Ctrl-C stops without a result.")
    Terminal.output.writeLine(
      row("period x n", "latency", "xruns", "worst load", "latest", ""))
  }

  /// Shows the setting under test, on a terminal.
  func begin(_ setting: PeriodSetting) {
    guard !isNonInteractive else { return }
    line.show(["\(setting) ..."])
  }

  /// Adds a row.
  func show(_ trial: PeriodResult, _ stream: StreamDescription) {
    guard !isNonInteractive else { return }
    line.clear()
    let latency = Double(trial.setting.latencyFrames) / stream.sampleRateHz * 1_000
    let result =
      trial.holds
      ? "passes" : trial.failure ?? (trial.seconds < seconds ? "fails, stopped early" : "fails")
    Terminal.output.writeLine(
      row(
        "\(trial.setting)", "\(NumberFormat.fixed(latency, places: 2)) ms", "\(trial.xrunCount)",
        NumberFormat.percent(trial.worstLoad),
        "\(NumberFormat.fixed(trial.worstLatenessSeconds * 1_000, places: 2)) ms", result))
  }

  private func row(
    _ setting: String, _ latency: String, _ xruns: String, _ load: String, _ late: String,
    _ result: String
  ) -> String {
    let cells = [(setting, 10), (latency, 11), (xruns, 6), (load, 11), (late, 10)]
    let text = cells.map { NumberFormat.right($0.0, $0.1) }.joined()
    return result.isEmpty ? text : "\(text)  \(result)"
  }

  /// Prints the best setting.
  func finish(
    _ search: PeriodSearch, _ best: PeriodResult?, _ stream: StreamDescription?, storedIn: String?
  ) {
    line.clear()
    guard search.isComplete else {
      Terminal.error.writeLine("outboard: Interrupted. No result.")
      return
    }
    guard let best, let stream else {
      Terminal.error.writeLine(
        "outboard: No setting passed. Try a longer period with --start, less --load, or"
          + " `outboard doctor`.")
      return
    }
    let latency = Double(best.setting.latencyFrames) / stream.sampleRateHz * 1_000
    Terminal.output.writeLine(
      "--period \(best.setting.periodFrames) --periods \(best.setting.periodCount):"
        + " \(best.setting.latencyFrames) frames, \(NumberFormat.fixed(latency, places: 2)) ms")
    if let storedIn { Terminal.error.writeLine("Saved in \(storedIn).") }
  }
}

/// The JSON output of `outboard find-period --json`.
struct FindPeriodReport: Encodable {
  struct Row: Encodable {
    let periodFrames: Int
    let periodCount: Int
    let latencyFrames: Int
    let seconds: Double
    let xruns: Int
    let worstLoad: Double
    let maximumLatenessSeconds: Double
    let passed: Bool
    let failure: String?

    init(_ trial: PeriodResult) {
      periodFrames = trial.setting.periodFrames
      periodCount = trial.setting.periodCount
      latencyFrames = trial.setting.latencyFrames
      seconds = trial.seconds
      xruns = trial.xrunCount
      worstLoad = trial.worstLoad
      maximumLatenessSeconds = trial.worstLatenessSeconds
      passed = trial.holds
      failure = trial.failure
    }
  }

  let sampleRateHz: Double?
  let linked: Bool?
  let complete: Bool
  let results: [Row]
  let chosen: Row?
  let savedIn: String?

  init(
    _ search: PeriodSearch, _ best: PeriodResult?, _ stream: StreamDescription?, storedIn: String?
  ) {
    sampleRateHz = stream?.sampleRateHz
    linked = stream?.isLinked
    complete = search.isComplete
    results = search.trials.map(Row.init)
    chosen = best.map(Row.init)
    savedIn = storedIn
  }
}
