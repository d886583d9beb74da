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
    /// The number of changes.
    private(set) var revision: UInt64?
    private(set) var devices: [Event.StartedDevice]?
    private(set) var deviceStates: [Event.Device]?
    private(set) var sampleRateHz: Double?
    private(set) var periodFrames: Int?
    /// The tempo; nil if unknown.
    private(set) var transport: TransportInfo?
    /// The addresses of the web page; nil if the session has no web page.
    private(set) var addresses: [String]?
    /// Why it does not answer; nil if it does.
    private(set) var error: String?

    init(_ answer: RunSearch.Answer) {
      name = answer.name
      switch answer.reply {
      case .success(let reply):
        guard case .status(let status)? = reply.result else {
          (process, rig, nodes) = (answer.process ?? 0, "", [])
          error = "\(ControlError.protocolError(name: answer.name))"
          return
        }
        process = status.process
        rig = status.stall.map { "\(status.rig): \($0)" } ?? status.rig
        (nodes, revision) = (status.nodes, status.revision)
        (devices, deviceStates) = (status.devices, status.deviceStates)
        (sampleRateHz, periodFrames) = (status.sampleRateHz, status.periodFrames)
        (transport, addresses) = (status.transport, status.addresses)
      case .failure(let fault):
        process = answer.process ?? 0
        (rig, nodes, error) = ("", [], "\(fault)")
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
      if runs.isEmpty { throw ExitCode(Failure.Status.noSession.rawValue) }
      return
    }
    for run in runs {
      guard let error = run.error else {
        show(run)
        continue
      }
      Terminal.error.writeLine("outboard: \(error.printable)")
    }
    guard runs.isEmpty else { return }
    throw search.remarks.isEmpty
      ? ControlError.noSession : ExitCode(Failure.Status.noSession.rawValue)
  }

  private func show(_ run: Run) {
    Terminal.output.writeLine("\(run.name) (process \(run.process)): \(run.rig)".printable)
    if let transport = run.transport, transport.clock != nil {
      Terminal.output.writeLine("  \(TransportText.line(transport))".printable)
    }
    for device in run.deviceStates ?? [] where device.state != "running" || device.fallback != nil {
      let name = "\(device.device) (\(device.direction))"
      let fallback = device.fallback.map { ", \($0) is open instead" } ?? ""
      let reason = device.reason.map { ". \($0)" } ?? "."
      Terminal.output.writeLine("  \(name): \(device.state)\(fallback)\(reason)".printable)
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
