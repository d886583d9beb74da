// StatusCommand.swift: `outboard status`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import HostModel

/// Lists the running sessions.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List running sessions with nodes and values.")

  @Option(help: ArgumentHelp("Only the session with this name.", valueName: "name"))
  var session: String?
  @Flag(help: "Print JSON.")
  var json = false

  private struct Run: Encodable {
    let name: String
    let process: Int
    let rig: String
    let nodes: [SessionStatus.Node]
    /// The tempo; nil if unknown.
    let transport: TransportInfo?
    /// The addresses of the web page; nil if the session has no web page.
    let addresses: [String]?
    /// Why it does not answer; nil if it does.
    let error: String?

    init(_ answer: RunSearch.Answer) {
      name = answer.name
      switch answer.reply {
      case .success(let reply):
        guard case .status(let status)? = reply.result else {
          (process, rig, nodes, addresses) = (answer.process ?? 0, "", [], nil)
          transport = nil
          error = "\(ControlError.protocolError(name: answer.name))"
          return
        }
        process = status.process
        rig = status.stall.map { "\(status.rig): \($0)" } ?? status.rig
        (nodes, addresses, error) = (status.nodes, status.addresses, nil)
        transport = status.transport
      case .failure(let fault):
        process = answer.process ?? 0
        (rig, nodes, addresses, error) = ("", [], nil, "\(fault)")
        transport = nil
      }
    }
  }

  func run() throws {
    // Reports an unknown name.
    let search = try RunSearch(named: session.map { try ControlClient(run: $0).name })
    for remark in search.remarks { Terminal.error.writeLine("outboard: \(remark)") }
    let runs = search.sendToAll(.status).filter(Self.isThere).map(Run.init)
    if json {
      JSONOutput.print(runs)
      return
    }
    for run in runs {
      guard let error = run.error else {
        show(run)
        continue
      }
      Terminal.error.writeLine("outboard: \(error.printable)")
    }
    if runs.isEmpty, search.remarks.isEmpty {
      Terminal.error.writeLine("outboard: \(ControlError.noSession)")
    }
  }

  private func show(_ run: Run) {
    Terminal.output.writeLine("\(run.name) (process \(run.process)): \(run.rig)".printable)
    if let transport = run.transport, transport.clock != nil {
      Terminal.output.writeLine("  \(TransportText.line(transport))".printable)
    }
    for address in run.addresses ?? [] { Terminal.output.writeLine("  \(address)".printable) }
    for line in NodeTable.lines(run.nodes, columns: Terminal.output.columns ?? 80) {
      Terminal.output.writeLine(line)
    }
  }

  /// Skips a session that has just ended.
  private static func isThere(_ answer: RunSearch.Answer) -> Bool {
    guard case .failure(.ended) = answer.reply else { return true }
    return false
  }
}
