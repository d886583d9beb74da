// RunRecorder.swift: keeps the record of a session. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
import FoundationEssentials
import Glibc
package import HostModel
package import Session

/// Stores what happens in a session, so that `doctor` knows it afterwards. [main]
///
/// The record is written at the start, after changes, and at the end. A session that is killed leaves its last record.
package final class RunRecorder: @unchecked Sendable {
  // Unchecked: the main thread owns this. Another thread uses it once, while the main thread is blocked.

  /// The shortest time between two records of one session, in seconds, which spares flash memory.
  private static let changeSeconds = 10.0
  /// The longest time between two records, in seconds.
  private static let longestSeconds = 600.0
  /// When the nodes are measured once, in seconds after the start, and for how long.
  private static let (surveySeconds, surveyDuration) = (4.0, 2.0)

  /// The values whose change makes the record worth writing.
  private struct Key: Equatable {
    var xruns = 0
    var faults: [RunRecord.NodeFaultCount] = []
    var costliest: String?
  }

  private let store: RunRecordStore
  private(set) var record: RunRecord
  private let start = DispatchTime.now().uptimeNanoseconds
  private var loadSum = 0.0
  private var loadCount = 0
  private var written = Key()
  private var lastWrite = 0.0
  private var loadSurvey = Survey.due

  /// The measurement of the nodes.
  private enum Survey {
    case due
    case runs(since: Double)
    case isDone
  }

  /// Writes the first record of a session; nil without a store. [main]
  package init?(_ session: LiveSession, in store: RunRecordStore? = .ofUser) {
    guard let store else { return nil }
    self.store = store
    let stream = session.stream
    let process = getpid()
    record = RunRecord(
      rig: session.rigName, process: process, processStart: ProcessStart.ticks(of: process) ?? 0,
      startedAt: Int64(Date().timeIntervalSince1970 * 1_000),
      devices: (stream.inputs + stream.outputs).map(\.device).uniqued,
      sampleRateHz: stream.sampleRateHz, periodFrames: stream.periodFrames)
    store.write(record)
    store.prune()
  }

  private var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }

  /// Takes over a report, ten per second; writes the record if it has changed. [main]
  package func follow(_ report: LiveSession.Report, of session: LiveSession) {
    loadSum += report.meanLoad
    loadCount += 1
    record.worstLoad = max(record.worstLoad, report.worstLoad)
    take(session)
    if let overload = report.overload {
      record.overload = overload
      record.costliest = .init(node: overload.node, plugin: overload.plugin, mean: overload.share)
    }
    measureNodes(of: session)
    let key = Key(
      xruns: record.xruns, faults: record.faults, costliest: record.costliest?.node)
    let elapsed = seconds - lastWrite
    guard (key != written && elapsed >= Self.changeSeconds) || elapsed >= Self.longestSeconds else {
      return
    }
    written = key
    write()
  }

  /// Writes the last record. [main, or another thread while the main thread is blocked]
  package func end(_ end: RunRecord.End, reason: String? = nil, of session: LiveSession?) {
    guard record.end == nil else { return }
    if let session { take(session) }
    (record.end, record.reason) = (end, reason)
    write()
  }

  /// Takes over the counts of the session.
  private func take(_ session: LiveSession) {
    let status = session.status
    (record.xruns, record.lostSeconds) = (status.xrunCount, status.lostSeconds)
    record.faults = session.nodeFaults
    record.threads = session.usedThreadCount
    record.periodFrames = session.stream.periodFrames
    record.sampleRateHz = session.stream.sampleRateHz
    record.rig = session.rigName
  }

  /// Measures the nodes once, so that the costliest one is known without an overload.
  private func measureNodes(of session: LiveSession) {
    let now = seconds
    switch loadSurvey {
    case .due where now >= Self.surveySeconds && session.stream.isRealTime:
      _ = session.nodeLoads()
      loadSurvey = .runs(since: now)
    case .runs(let since) where now - since >= Self.surveyDuration:
      loadSurvey = .isDone
      guard record.costliest == nil,
        let costliest = session.nodeLoads().max(by: { $0.mean < $1.mean })
      else { return }
      record.costliest = .init(node: costliest.name, plugin: costliest.plugin, mean: costliest.mean)
    default: break
    }
  }

  private func write() {
    lastWrite = seconds
    record.seconds = lastWrite
    record.meanLoad = loadCount > 0 ? loadSum / Double(loadCount) : 0
    store.write(record)
  }
}

extension [String] {
  /// The elements without repetitions, in their order.
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
