// JSONEventView.swift: a run as one line of JSON for each thing that happens. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
import FoundationEssentials
import Glibc
import HostCore
import HostModel
import Session

/// Tells programs of a run while it goes on, on standard output (`--events json`).
final class JSONEventView: SessionObserver {
  private let session: LiveSession
  private let tellsMeters: Bool
  private let started = DispatchTime.now().uptimeNanoseconds
  private var notices = DeviceChangeReporter()
  private var levels = LevelWindow()
  private var lastLevelSeconds = 0.0
  private var lastXruns = 0
  private var lastRateHz = 0.0

  init(_ session: LiveSession, tellsMeters: Bool = false) {
    self.session = session
    self.tellsMeters = tellsMeters
  }

  func introduce(warnings: [String], endsByItself: Bool) {
    lastRateHz = session.stream.sampleRateHz
    print(SessionEvent.Started(seconds, session, warnings))
  }

  func show(_ report: LiveSession.Report) {
    levels.add(report)
    if report.driver.xrunCount > lastXruns {
      print(SessionEvent.Xrun(seconds, report.driver))
      lastXruns = report.driver.xrunCount
    }
    for change in notices.changes(report.driver.devices) {
      print(SessionEvent.Device(seconds, change.device))
    }
    if session.stream.sampleRateHz != lastRateHz {
      lastRateHz = session.stream.sampleRateHz
      print(SessionEvent.Rate(seconds, lastRateHz))
    }
    for howl in report.howls {
      print(
        SessionEvent.Howl(
          seconds, SessionSummary.Howl(howl, sampleRateHz: session.stream.sampleRateHz)))
    }
    for property in report.properties { print(SessionEvent.Property(seconds, property)) }
    for notice in report.notices { print(SessionEvent.Notice(seconds, notice)) }
    for notice in report.midiNotices {
      print(SessionEvent.Notice(seconds, notice, isMIDI: true))
    }
    guard seconds - lastLevelSeconds >= 1 else { return }
    print(SessionEvent.Level(seconds, levels, report))
    for (name, tally) in levels.analyses {
      guard let heard = tally.report else { continue }
      print(SessionEvent.Analysis(seconds, SessionSummary.Analysis(node: name, heard)))
    }
    if tellsMeters {
      for named in session.meterReadings() {
        print(SessionEvent.Meter(seconds, MeterValues(named)))
      }
    }
    lastLevelSeconds = seconds
    levels = LevelWindow()
  }

  func willStop() {}

  /// Tells of what ends the run; `finish` follows.
  func fail(_ fault: FatalFault) { print(SessionEvent.Failure(seconds, fault)) }

  func finish(_ session: LiveSession, _ notices: [String], asJSON: Bool) {
    for notice in notices { print(SessionEvent.Notice(seconds, notice)) }
    print(SessionEvent.Stopped(seconds, session))
  }

  private var seconds: Double {
    let nanoseconds = DispatchTime.now().uptimeNanoseconds - started
    return (Double(nanoseconds) / 1e6).rounded() / 1e3
  }

  private func print(_ event: some Encodable) { JSONOutput.printLine(event) }
}

/// The highest of what was reported since the last line of levels.
struct LevelWindow {
  private(set) var inputs: [Float] = []
  private(set) var outputs: [Float] = []
  private(set) var worstLoad = 0.0
  /// What analysers heard, by the names of their nodes.
  private(set) var analyses: [(name: String, tally: AnalysisAccumulator)] = []
  private var loadSum = 0.0
  private var count = 0

  var meanLoad: Double { count > 0 ? loadSum / Double(count) : 0 }

  mutating func add(_ report: LiveSession.Report) {
    inputs = Self.higher(inputs, report.inputPeaks)
    outputs = Self.higher(outputs, report.outputPeaks)
    worstLoad = max(worstLoad, report.worstLoad)
    loadSum += report.meanLoad
    count += 1
    if analyses.isEmpty { analyses = report.analyses.map { ($0.name, AnalysisAccumulator()) } }
    for (index, analysis) in report.analyses.enumerated() {
      // A tenth of a second each, near enough for a mean over a second.
      analyses[index].tally.add(analysis.report, seconds: 0.1)
    }
  }

  /// The higher of two peaks of each channel.
  static func higher(_ one: [Float], _ other: [Float]) -> [Float] {
    one.count == other.count ? zip(one, other).map { max($0, $1) } : other
  }
}
