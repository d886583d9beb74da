// DoctorCommand.swift: `outboard doctor`. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import Console
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
    let checks = machine.checks()
    if json {
      JSONOutput.print(DoctorReport(checks))
    } else {
      DoctorFormatter(checks, columns: Terminal.output.columns).lines
        .forEach(Terminal.output.writeLine)
    }
    if checks.contains(where: { $0.state == .error }) {
      throw ExitCode(Failure.Status.failure.rawValue)
    }
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

  init(_ checks: [SystemCheck]) {
    state = (checks.map(\.state).max() ?? .unknown).rawValue
    self.checks = checks.map {
      Entry(
        id: $0.id, title: $0.title, state: $0.state.rawValue, found: $0.found, reason: $0.reason,
        commands: $0.commands, advice: $0.advice)
    }
  }
}
