// TerminalView.swift: the terminal output of a session. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import Console
import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
import HostCore
import HostModel
import MIDIClock
import PipeIO
import ServiceManager
import Session

/// The messages and the status line of a session, and the summary at its end.
final class TerminalView {
  private let session: LiveSession
  private let isNonInteractive: Bool
  private let showsMeters: Bool
  private var line = StatusLine(.error)
  private let started = Date()
  private var reported = Date()
  private var highestInput: [Float] = []
  private var highestOutput: [Float] = []
  private var worstLoad = 0.0
  private var loadSum = 0.0
  private var loadCount = 0
  private var xruns = XrunReporter(intervalNanoseconds: 1_000_000_000)
  private var midi = MIDIView()
  /// Messages before and at the start.
  private var notes: [String] = []
  private var notices = DeviceChangeReporter()
  /// The reports of each analyser: for the whole session, and since the last printed line.
  private var totals: [(name: String, whole: AnalysisAccumulator, recent: AnalysisAccumulator)] =
    []
  private var lastPlainLine = Date()
  /// Actions of feedback suppression, the oldest first.
  private var feedbackEvents: [FeedbackEvent] = []
  /// The limit of stored actions, to bound memory in long sessions.
  private static let maximumFeedbackEventCount = 1_000

  /// The terminal for analyser results, which is never the audio output.
  private let results: Terminal

  init(
    _ session: LiveSession, isNonInteractive: Bool, showsMeters: Bool = false,
    results: Terminal = .output
  ) {
    self.results = results
    self.session = session
    self.isNonInteractive = isNonInteractive
    self.showsMeters = showsMeters
  }

  // MARK: - Start

  /// Prints the opened devices, messages, and how to stop.
  func sessionStarted(warnings: [String], isFinite: Bool) {
    warn(warnings)
    guard !isNonInteractive else { return }
    for line in StreamFormatter(session).lines { Terminal.error.writeLine(line) }
    if !isFinite { Terminal.error.writeLine("     Press Ctrl-C to stop.") }
  }

  /// Prints how to reach the session.
  func announce(_ lines: [String]) {
    for line in lines { Terminal.error.writeLine("     \(line)") }
  }

  /// Prints messages.
  func warn(_ messages: [String]) {
    notes += messages
    for message in messages { Terminal.error.writeLine("outboard: \(message)") }
  }

  // MARK: - While it runs

  /// Shows one report.
  func show(_ report: LiveSession.Report) {
    record(report)
    guard !isNonInteractive else { return }
    for feedbackEvent in report.feedbackEvents {
      guard let text = FeedbackFormatter(feedbackEvent).line else { continue }
      line.clear()
      Terminal.error.writeLine("outboard: \(text)")
    }
    if !Terminal.error.isInteractive,
      let text = xruns.line(
        report.driver.xrunCount, report.driver.lostSeconds,
        nanoseconds: DispatchTime.now().uptimeNanoseconds)
    {
      Terminal.error.writeLine("outboard: \(text)")
    }
    for change in notices.changes(report.driver.devices) {
      line.clear()
      Terminal.error.writeLine("outboard: \(change.message)")
    }
    let messages =
      report.refusals.map(\.text) + (report.notices + report.midiNotices).map(\.description)
    if !messages.isEmpty {
      line.clear()
      for message in messages { Terminal.error.writeLine("outboard: \(message)") }
    }
    if let columns = Terminal.error.columns {
      let analyses = report.analyses.flatMap {
        AnalysisFormatter(name: $0.name, report: $0.report).lines
      }
      let readouts = report.readouts.map { ReadoutFormatter($0).line }
      line.show([levels(report, columns)] + meters(columns) + analyses + readouts)
    } else if Date().timeIntervalSince(lastPlainLine) >= 1 {
      printWithoutTerminal()
    }
  }

  /// Without a terminal, analyser results are printed once per second.
  private func printWithoutTerminal() {
    lastPlainLine = Date()
    for index in totals.indices {
      if let report = totals[index].recent.report {
        results.writeLine(AnalysisFormatter(name: totals[index].name, report: report).line)
      }
      totals[index].recent = AnalysisAccumulator()
    }
  }

  /// The status line with meters.
  private func levels(_ report: LiveSession.Report, _ columns: Int) -> String {
    var others: [String] = []
    if let overload = report.overload { others.append(overload.summary) }
    if report.driver.clippedSampleCount > 0 {
      others.append("clipped \(report.driver.clippedSampleCount)")
    }
    let drifting = report.driver.devices.count { $0.driftPPM != nil }
    others += report.driver.devices.compactMap { Self.driftText($0, isAlone: drifting == 1) }
    others += midi.values(report.midi)
    if let clock = session.transportStatus.clock {
      let tempo = NumberFormat.fixed(session.transportStatus.beatsPerMinute, places: 1)
      others.append("\(tempo) BPM \(clock.state.rawValue)")
    }
    let sides = [("in", report.inputPeaks), ("out", report.outputPeaks)].filter { !$0.1.isEmpty }
    return LevelLine(
      sides.map { .init($0.0, peak: Double($0.1.max() ?? 0)) },
      values: [
        "load \(NumberFormat.right(NumberFormat.percent(report.meanLoad), 6))",
        "xruns \(report.driver.xrunCount)",
      ], others: others
    ).text(columns: columns)
  }

  /// The state of a device that is not running, or its clock drift.
  private static func driftText(_ device: DeviceStatus, isAlone: Bool) -> String? {
    let label = device.device == StandardStream.name ? device.name.lowercased() : device.device
    guard device.state == .running else { return "\(label) \(device.state.rawValue)" }
    let name = isAlone ? "" : "\(label) "
    return device.driftPPM.map { "\(name)drift \(NumberFormat.fixed($0, places: 0)) ppm" }
  }

  private func record(_ report: LiveSession.Report) {
    highestInput = LevelWindow.higher(highestInput, report.inputPeaks)
    highestOutput = LevelWindow.higher(highestOutput, report.outputPeaks)
    worstLoad = max(worstLoad, report.worstLoad)
    loadSum += report.meanLoad
    loadCount += 1
    feedbackEvents += report.feedbackEvents.prefix(
      Self.maximumFeedbackEventCount - feedbackEvents.count)
    let now = Date()
    let seconds = max(1e-6, now.timeIntervalSince(reported))
    reported = now
    if totals.isEmpty {
      totals = report.analyses.map { ($0.name, AnalysisAccumulator(), AnalysisAccumulator()) }
    }
    for (index, analysis) in report.analyses.enumerated() {
      totals[index].whole.add(analysis.report, seconds: seconds)
      totals[index].recent.add(analysis.report, seconds: seconds)
    }
  }

  private func meters(_ columns: Int) -> [String] {
    guard showsMeters else { return [] }
    let values = session.meterReadings().map(MeterValues.init)
    return MeterFormatter(values, columns: columns).lines
  }

  // MARK: - End

  /// Prints the summary of the session.
  func finish(_ session: LiveSession, _ notices: [HostNotice], asJSON: Bool) {
    line.clear()
    for notice in notices { Terminal.error.writeLine("outboard: \(notice)") }
    let status = session.status
    let seconds = Date().timeIntervalSince(started)
    if asJSON {
      JSONOutput.print(summary(status, seconds))
      return
    }
    // A pipe may be faster than real time.
    let audioSeconds = Double(session.renderedFrameCount) / session.stream.sampleRateHz
    let isFaster = audioSeconds > 1.05 * seconds + 0.1
    let length = isFaster ? "\(NumberFormat.duration(audioSeconds)) of audio in " : ""
    Terminal.error.writeLine("\(length)\(NumberFormat.duration(seconds)): \(outcome(status))")
    if Terminal.error.isInteractive { printAnalyses() }
    for line in session.realTimeWatch.map({ RealTimeFormatter($0).lines }) ?? [] {
      Terminal.error.writeLine(line)
    }
  }

  /// Returns levels, load and losses, e.g.
  ///
  /// `peak -3.2 dB out; load 4.1 %, at worst 9.7 %; no xruns`.
  private func outcome(_ status: DriverStatus) -> String {
    let peaks = [("in", highestInput), ("out", highestOutput)].filter { !$0.1.isEmpty }
      .map { "\(peak($0.1)) \($0.0)" }
    var parts = [
      "\(peaks.count == 1 ? "peak" : "peaks") \(peaks.joined(separator: ", "))",
      "load \(NumberFormat.percent(meanLoad)), at worst \(NumberFormat.percent(worstLoad))"
        + (session.usedThreadCount > 1 ? " on \(session.usedThreadCount) threads" : ""),
    ]
    let lost = NumberFormat.fixed(status.lostSeconds * 1_000, places: 1)
    parts.append(
      status.xrunCount == 0 ? "no xruns" : "\(count(status.xrunCount)), \(lost) ms lost")
    if status.clippedSampleCount > 0 {
      parts.append("\(status.clippedSampleCount) samples clipped")
    }
    return parts.joined(separator: "; ")
  }

  /// Prints the total analysis: on a terminal, the status line has been erased.
  private func printAnalyses() {
    for analysis in totals {
      guard let report = analysis.whole.report else { continue }
      let text = AnalysisFormatter(name: analysis.name, report: report)
      for line in text.lines { results.writeLine(line) }
    }
  }

  private func count(_ xruns: Int) -> String { xruns == 1 ? "1 xrun" : "\(xruns) xruns" }

  private var meanLoad: Double { loadCount > 0 ? loadSum / Double(loadCount) : 0 }

  private func peak(_ peaks: [Float]) -> String {
    "\(NumberFormat.decibels(linear: Double(peaks.max() ?? 0))) dB"
  }

  private func summary(_ status: DriverStatus, _ seconds: Double) -> SessionSummary {
    let stream = session.stream
    return SessionSummary(
      seconds: seconds, sampleRateHz: stream.sampleRateHz, periodFrames: stream.periodFrames,
      linked: stream.isLinked, roundTripFrames: stream.roundTripFrames,
      devices: status.devices.map(SessionSummary.Device.init), inputFormat: stream.input?.format,
      outputFormat: stream.output?.format, inputPeaks: highestInput, outputPeaks: highestOutput,
      meanLoad: meanLoad, worstLoad: worstLoad, threads: session.usedThreadCount,
      xruns: status.xrunCount,
      lostSeconds: status.lostSeconds, clippedSamples: status.clippedSampleCount,
      pluginLatencyFrames: session.latencyFrames, notes: notes, failure: status.failure,
      midi: session.midi.map { SessionSummary.MIDI($0.status) },
      properties: session.properties.map(NodeProperty.init),
      readouts: session.readouts.map(NodeReadoutsJSON.init),
      analyses: totals.compactMap { analysis in
        analysis.whole.report.map { AnalysisResult(node: analysis.name, $0) }
      }, feedback: feedbackEvents.map { FeedbackAction($0, sampleRateHz: stream.sampleRateHz) },
      recordings: session.recordings.map(RecordingResult.init),
      realTime: session.realTimeWatch.map { RealTimeFormatter($0).values })
  }
}
