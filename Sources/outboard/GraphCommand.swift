// GraphCommand.swift: `outboard graph`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import InstalledFormats
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import Session

/// Prints the render sequence of a rig.
struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Print the render sequence of a rig.")

  @Argument(help: ArgumentHelp("Rig file or name of an installed rig.", valueName: "rig"))
  var rig: String
  @Flag(help: "Print a Graphviz graph instead.")
  var dot = false
  @Option(help: ArgumentHelp("Sample rate in Hz.", valueName: "hz"))
  var rate: Int?

  @OptionGroup var helperArguments: HelperArguments

  func validate() throws {
    if let rate, !(1_000 ... 768_000 ~= rate) {
      throw ValidationError("--rate \(rate) is out of range (1000 to 768000 Hz).")
    }
  }

  func run() throws {
    helperArguments.begin()
    let library = PluginLibrary()
    var prepared = try PreparedRig(try RigReader.read(named: rig, library.formats), library)
    prepared.runsPreflight = true
    let plan = try prepared.plan()
    if dot {
      Terminal.output.writeLine(DOTWriter.dot(plan, name: prepared.rig.name))
      return
    }
    let rateHz = Double(rate ?? prepared.rig.sampleRateHz ?? 48_000)
    let frames = prepared.rig.periodFrames ?? 256
    let compiled = try prepared.compiled(
      library, plan, sampleRateHz: rateHz, maximumFrameCount: frames)
    for (index, line) in compiled.listing.enumerated() {
      Terminal.output.writeLine("\(NumberFormat.right("\(index + 1)", 3))  \(line)")
    }
    for node in plan.nodes where node.isolation != .off {
      let group =
        node.isolation.process == .own
        ? "a separate worker process" : "the worker process \(node.isolation.processText)"
      let process = node.isSandboxed ? "a sandbox" : group
      let latency = node.isolation.isBlockLate ? ", one block later" : ""
      let reason = node.isolationReason.map { ", because \($0.text)" } ?? ""
      Terminal.output.writeLine("\(node.name) runs in \(process)\(latency)\(reason).")
    }
    let milliseconds = Double(compiled.latencyFrames) / rateHz * 1_000
    Terminal.output.writeLine(
      "\(compiled.bufferCount) buffers, latency \(compiled.latencyFrames) frames"
        + " (\(NumberFormat.fixed(milliseconds, places: 1)) ms)")
  }
}
