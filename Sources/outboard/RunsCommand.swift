// RunsCommand.swift: `outboard runs`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control

/// Lists what runs.
struct RunsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs", abstract: "List what runs, its nodes, and what they are set to.")

  @Flag(help: "Print JSON.")
  var json = false

  private struct Run: Encodable {
    let name: String
    let process: Int
    let rig: String
    let nodes: [ControlReply.Node]
  }

  func run() throws {
    let runs = ControlClient.running().compactMap(describe)
    if json {
      JSONOutput.print(runs)
      return
    }
    for run in runs {
      Terminal.output.writeLine("\(run.name) (process \(run.process)): \(run.rig)")
      for node in run.nodes {
        let values = node.values.sorted { $0.key < $1.key }
          .map { "\($0.key)=\(Figures.short(Double($0.value)))" }
        Terminal.output.writeLine("  \(([node.name] + values).joined(separator: " "))")
        let readouts = (node.readouts ?? [:]).sorted { $0.key < $1.key }
          .map { "\($0.key) \(Figures.short(Double($0.value)))" }
        if !readouts.isEmpty {
          Terminal.output.writeLine("    tells \(readouts.joined(separator: ", "))")
        }
      }
    }
    if runs.isEmpty { Terminal.error.writeLine("outboard: \(ControlError.nothingRuns)") }
  }

  /// One that ends just now is left out.
  private func describe(_ name: String) -> Run? {
    guard let client = try? ControlClient(run: name),
      let reply = try? client.ask(ControlRequest(.describe))
    else { return nil }
    return Run(
      name: name, process: reply.process ?? 0, rig: reply.rig ?? "", nodes: reply.nodes ?? [])
  }
}
