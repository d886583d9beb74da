// DoctorCommand.swift: `outboard doctor`. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel
import SystemDiagnostics

/// Checks the system for audio problems.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check this system for audio problems.",
    discussion: """
      Nothing is changed, and root is not needed. Exit status: 0 if no check failed, even if \
      a setting could be better; 1 otherwise.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let machine = SystemInspector(facts: .current()) { card in
      ProcAsound.holders(card: card, device: nil, direction: nil)
    }
    let runs = RunRecordStore.ofUser?.all ?? []
    let last = LastRunCheck.check(
      runs.first, after: Array(runs.dropFirst()), isRunning: runs.first?.isRunning ?? false,
      start: runs.first.map { Self.time($0.startedAt / 1_000) } ?? "")
    let checks = machine.checks() + [last].compactMap(\.self)
    if json {
      JSONOutput.print(DoctorReport(checks, runs))
    } else {
      DoctorFormatter(checks, columns: Terminal.output.columns).lines
        .forEach(Terminal.output.writeLine)
    }
    if checks.contains(where: { $0.state == .error }) {
      throw ExitCode(Failure.Status.failure.rawValue)
    }
  }

  /// Returns a local time: `2026-11-26 21:03`.
  private static func time(_ seconds: Int64) -> String {
    var (time, parts) = unsafe (time_t(seconds), tm())
    unsafe localtime_r(&time, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(parts.tm_year + 1_900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
      + " \(padded(parts.tm_hour)):\(padded(parts.tm_min))"
  }
}

/// The JSON output of `outboard doctor --json`.
private struct DoctorReport: Encodable {
  struct Entry: Encodable {
    let id: String
    let title: String
    let state: String
    let found: String
    let reason: String
    let commands: [String]
    let advice: String?
  }
  let state: String
  let checks: [Entry]
  /// The last sessions, the newest first.
  let sessions: [RunRecord]

  init(_ checks: [SystemCheck], _ sessions: [RunRecord]) {
    self.sessions = sessions
    state = (checks.map(\.state).max() ?? .unknown).rawValue
    self.checks = checks.map {
      Entry(
        id: $0.id, title: $0.title, state: $0.state.rawValue, found: $0.found, reason: $0.reason,
        commands: $0.commands, advice: $0.advice)
    }
  }
}
