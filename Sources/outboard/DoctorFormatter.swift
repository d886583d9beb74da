// DoctorFormatter.swift: the results of the system checks as text. SPDX-License-Identifier: MIT

import Console
import SystemDiagnostics

/// Formats a good result as one line and any other result as a paragraph.
struct DoctorFormatter {
  /// Returns the lines.
  let lines: [String]

  /// Returns the lines for checks.
  ///
  /// `columns` is nil if the output is not a terminal; lines are not wrapped then.
  init(_ checks: [SystemCheck], columns: Int?) {
    let titleWidth = checks.map(\.title.count).max() ?? 0
    lines =
      checks.flatMap { Self.lines($0, titleWidth, columns) } + ["", Self.summary(checks)]
  }

  private static let stateWidth = 7

  private static func word(_ state: SystemCheck.State) -> String {
    switch state {
    case .ok: "ok"
    case .unknown: "unknown"
    case .warning: "warning"
    case .error: "error"
    }
  }

  private static func lines(_ check: SystemCheck, _ titleWidth: Int, _ columns: Int?) -> [String] {
    let head =
      padded(word(check.state), stateWidth) + "  " + padded(check.title, titleWidth) + "  "
    let found = TextWrapping.lines(check.found, indent: head.count, columns: columns)
    var lines = [head + (found.first ?? "").dropFirst(head.count)] + found.dropFirst()
    guard check.state == .error || check.state == .warning else { return lines }
    let indent = stateWidth + 2
    lines += TextWrapping.lines(check.reason, indent: indent, columns: columns)
    // Commands are never wrapped, so that they can be copied.
    lines += check.commands.map { padded("", indent + 2) + $0 }
    lines += check.advice.map { TextWrapping.lines($0, indent: indent, columns: columns) } ?? []
    return lines
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func summary(_ checks: [SystemCheck]) -> String {
    let bad = checks.count { $0.state == .error }
    let improvable = checks.count { $0.state == .warning && $0.id != LastRunCheck.id }
    let better = "\(improvable) \(improvable == 1 ? "setting" : "settings") could be better"
    if bad > 0 {
      let rest = improvable > 0 ? " \(better)." : ""
      return "\(bad) \(bad == 1 ? "check" : "checks") failed: expect dropouts.\(rest)"
    }
    return improvable == 0
      ? "This system is ready for audio." : "Audio works; \(better) for short periods."
  }
}
