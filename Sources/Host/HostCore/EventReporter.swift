// EventReporter.swift: from a session's reports to events. SPDX-License-Identifier: MIT

import AudioDriver
import HostModel
import Metering
import Session

/// Turns the reports of a session, ten in a second, into events. [main]
struct EventReporter {
  /// How often levels are reported.
  private static let levelSeconds = 1.0

  private var devices = DeviceChangeReporter()
  private var levels = LevelWindow()
  private var lastLevelSeconds = 0.0
  private var lastXruns = 0
  private var lastRateHz = 0.0

  /// What was opened.
  mutating func started(_ session: LiveSession, notes: [String]) -> Event {
    lastRateHz = session.stream.sampleRateHz
    return .started(.init(session, notes: notes))
  }

  /// What a report says, in the order in which a reader wants it.
  ///
  /// - Parameters:
  ///   - seconds: since the start.
  ///   - wantsMeters: whether meters are reported too, which begins to measure inputs and outputs.
  mutating func events(
    for report: LiveSession.Report, of session: LiveSession, at seconds: Double, wantsMeters: Bool
  ) -> [Event] {
    levels.add(report)
    let rateHz = session.stream.sampleRateHz
    var events: [Event] = []
    if report.driver.xrunCount > lastXruns {
      lastXruns = report.driver.xrunCount
      events.append(.xrun(.init(xruns: lastXruns, lostSeconds: report.driver.lostSeconds)))
    }
    events += devices.changes(report.driver.devices).map { .device(.init($0.device)) }
    if rateHz != lastRateHz {
      lastRateHz = rateHz
      events.append(.rate(.init(sampleRateHz: rateHz)))
    }
    events += report.howls.map {
      .feedback(.init(feedback: FeedbackAction($0, sampleRateHz: rateHz)))
    }
    events += report.properties.map { .property(.init(property: ReportedProperty($0))) }
    events += report.notices.map { .notice(.init(notice: $0)) }
    events += report.midiNotices.map { .midi(.init(notice: $0)) }
    guard seconds - lastLevelSeconds >= Self.levelSeconds else { return events }
    defer { (lastLevelSeconds, levels) = (seconds, LevelWindow()) }
    events.append(.level(.init(levels, report.driver)))
    for (name, tally) in levels.analyses {
      guard let result = tally.report else { continue }
      events.append(.analysis(.init(analysis: AnalysisResult(node: name, result))))
    }
    if wantsMeters {
      events += session.meterReadings().map { .meter(.init(meter: MeterValues($0))) }
    }
    return events
  }
}

/// The highest of what was reported since the last levels.
package struct LevelWindow {
  private(set) var inputs: [Float] = []
  private(set) var outputs: [Float] = []
  private(set) var worstLoad = 0.0
  /// What analysers measured, by the names of their nodes.
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
  package static func higher(_ one: [Float], _ other: [Float]) -> [Float] {
    one.count == other.count ? zip(one, other).map { max($0, $1) } : other
  }
}
