// LastRunCheck.swift: what happened in the last session. SPDX-License-Identifier: MIT

package import HostModel

/// Checks how the last session went.
package enum LastRunCheck {
  /// The `id` of the check.
  package static let id = "last-session"

  /// A load below this fraction of the period does not cause dropouts.
  private static let highLoad = 0.9

  /// Checks a session. [any]
  ///
  /// - Parameters:
  ///   - record: the record of the session that started last.
  ///   - earlier: the records of sessions before, the last one first.
  ///   - isRunning: whether it runs.
  ///   - start: the local time of its start, as text.
  /// - Returns: the result; nil if there is no session.
  package static func check(
    _ record: RunRecord?, after earlier: [RunRecord] = [], isRunning: Bool, start: String
  ) -> SystemCheck? {
    guard let record else { return nil }
    let restarts = earlier.prefix {
      $0.end == .restarted && $0.process == record.process
        && $0.processStart == record.processStart
    }
    let subject = CheckDescription(
      id: id, title: "Last session",
      reason: "The dropouts and faults of a session show what to change.")
    let wasKilled = record.end == nil && !isRunning
    let isGood =
      record.xruns == 0 && record.faults.isEmpty && !wasKilled && restarts.isEmpty
      && (record.end == nil || record.end == .stopped)
    let found = [
      head(record, start), overloads(record), restartText(Array(restarts)), losses(record),
      end(record, isRunning: isRunning),
    ].compactMap(\.self).joined(separator: " ")
    guard !isGood else { return subject.result(.ok, found) }
    let advice = advice(record, wasKilled: wasKilled, hasRestarted: !restarts.isEmpty)
    return subject.result(
      .warning, found, commands: commands(record),
      advice: advice.isEmpty ? nil : advice.joined(separator: " "))
  }

  private static func head(_ record: RunRecord, _ start: String) -> String {
    let devices = record.devices.isEmpty ? "" : " on \(record.devices.enumeration)"
    let rate = "\(Int(record.sampleRateHz)) Hz, period \(record.periodFrames)"
    return "\(record.rig)\(devices), \(rate), from \(start) for \(duration(record.seconds))."
  }

  /// The nodes that overload protection bypassed; nil if there are none.
  private static func overloads(_ record: RunRecord) -> String? {
    let texts = record.faults.filter(\.isOverload).map { fault in
      let times = fault.count == 1 ? "" : ", \(fault.count) times"
      return "\(fault.node) (\(fault.plugin)) was bypassed because it was overloaded\(times)."
    }
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }

  /// The faults after which the session restarted, the first one first; nil if there are none.
  private static func restartText(_ records: [RunRecord]) -> String? {
    guard !records.isEmpty else { return nil }
    let reasons = records.reversed().map { $0.reason ?? "A plugin crashed or hung." }
    return "Before, \(reasons.joined(separator: " ")) The session restarted."
  }

  /// The xruns, the load and the node that costs most.
  private static func losses(_ record: RunRecord) -> String {
    var text =
      record.xruns == 0
      ? "No xruns"
      : "\(counted(record.xruns, "xrun")), \(tenths(record.lostSeconds * 1_000)) ms lost"
    text +=
      "; load \(tenths(record.meanLoad * 100)) %, at worst \(tenths(record.worstLoad * 100)) %"
    // A bypassed node costs nothing, so the measurement after it names another one.
    if let costliest = record.costliest, !record.faults.contains(where: \.isOverload) {
      text +=
        "; \(costliest.node) (\(costliest.plugin)) used the most, \(tenths(costliest.mean * 100)) %"
    }
    let faults = record.faults.filter { !$0.isOverload }.map {
      "\($0.node) had \(counted($0.count, "fault")) (\($0.kind))."
    }
    return ([text + "."] + faults).joined(separator: " ")
  }

  private static func end(_ record: RunRecord, isRunning: Bool) -> String? {
    let reason = record.reason
    return switch record.end {
    case .stopped: nil
    case .failed: reason ?? "A device failed."
    case .fault: reason ?? "A plugin crashed or hung."
    case .restarted: "\(reason ?? "A plugin crashed or hung.") It restarted."
    case nil where isRunning: "It is running."
    case nil: "It did not end normally."
    }
  }

  private static func advice(
    _ record: RunRecord, wasKilled: Bool, hasRestarted: Bool
  ) -> [String] {
    var advice: [String] = []
    let overloaded = record.faults.filter(\.isOverload).map(\.node)
    if !overloaded.isEmpty {
      advice.append(
        "Lower the cost of \(overloaded.enumeration) by its settings, replace it, or try"
          + " --period \(2 * record.periodFrames), which helps if the cost is per block."
          + " --no-overload-protection keeps it, with dropouts.")
    } else if let overload = record.overload {
      advice.append(overload.remedy)
    } else if record.xruns > 0, record.worstLoad < highLoad {
      advice.append(
        "The plugins did not cause the xruns: fix what is listed above, or find a period that holds"
          + " with outboard find-period.")
    } else if record.xruns > 0 {
      advice.append("Single blocks took too long: try --period \(2 * record.periodFrames).")
    }
    if record.faults.contains(where: { !$0.isOverload }) {
      advice.append("Validate faulty plugins, or replace them.")
    }
    if record.end == .fault || record.end == .restarted || hasRestarted {
      advice.append("outboard faults lists plugins that crashed; they run isolated from now on.")
    }
    if wasKilled {
      advice.append(
        "The process was killed, or the system went down; the counts are those of its last record.")
    }
    return advice
  }

  private static func commands(_ record: RunRecord) -> [String] {
    var seen: Set<String> = []
    // A source is validated by its path, which the record lacks.
    return record.faults.map(\.plugin)
      .filter { !$0.isEmpty && !$0.hasPrefix("source.") && seen.insert($0).inserted }
      .map { "outboard validate \($0)" }
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func duration(_ seconds: Double) -> String {
    guard seconds >= 60 else { return "\(tenths(seconds)) s" }
    let minutes = Int(seconds / 60)
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}

extension RunRecord.NodeFaultCount {
  fileprivate var isOverload: Bool { kind == "overload" }
}
