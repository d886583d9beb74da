// EventReporter.swift: converts a session's reports to events. SPDX-License-Identifier: MIT

import AudioDriver
import HostModel
import Metering
import Session

/// Converts the reports of a session, ten per second, to events. [main]
struct EventReporter {
  /// The interval between events about levels, in seconds.
  private static let levelSeconds = 1.0

  private var devices = DeviceChangeReporter()
  private var levels = LevelWindow()
  private var lastLevelSeconds = 0.0
  private var lastXruns = 0
  private var lastRateHz = 0.0

  /// Returns the event about the opened devices.
  mutating func started(_ session: LiveSession, notes: [String]) -> Event {
    lastRateHz = session.stream.sampleRateHz
    return .started(.init(session, notes: notes))
  }

  /// Returns the events of a report, in the order in which they are published.
  ///
  /// If meters are requested, the input and output are measured from then on.
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
    events += report.feedbackEvents.map {
      .feedback(.init(feedback: FeedbackAction($0, sampleRateHz: rateHz)))
    }
    events += report.properties.map { .property(.init(property: ReportedProperty($0))) }
    events += report.refusals.map { .refused(.init($0)) }
    events += report.notices.map { .notice(.init($0)) }
    events += report.midiNotices.map { .midi(.init($0)) }
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

extension Event.Refused {
  fileprivate init(_ found: NodeRefusal) {
    self.init(
      node: found.node, plugin: found.plugin, request: found.request, call: found.call,
      path: found.path, notice: found.text)
  }
}

/// The highest levels since the last event about levels.
package struct LevelWindow {
  private(set) var inputs: [Float] = []
  private(set) var outputs: [Float] = []
  private(set) var worstLoad = 0.0
  /// The combined reports of analysers, by the names of their nodes.
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
      // Each report covers about a tenth of a second, which is exact enough for a mean over one
      // second.
      analyses[index].tally.add(analysis.report, seconds: 0.1)
    }
  }

  /// Returns the higher of two peaks for each channel.
  package static func higher(_ one: [Float], _ other: [Float]) -> [Float] {
    one.count == other.count ? zip(one, other).map { max($0, $1) } : other
  }
}
