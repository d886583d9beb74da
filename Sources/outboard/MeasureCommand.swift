// MeasureCommand.swift: `outboard measure`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import InstalledFormats
import Metering
import Plotting
import PluginLoading
import Session

/// Measures plugins and rigs with a test signal.
struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure response, distortion, latency and noise.",
    discussion: """
      outboard measure parametric-eq band_3_gain=6
      outboard measure "overdrive drive=10" "overdrive drive=30" --plot drive.svg
      outboard measure "parametric-eq band_3_gain=6" mic-chain --csv
      outboard measure "overdrive drive=20" --grid --plot grid.svg

      Each plugin, chain in quotes or rig renders a sweep at -20 dBFS, tones of several levels and frequencies, \
      pairs of tones, a step of the level, and silence. The second channel is shown if it differs.
      """)

  @Argument(
    help: ArgumentHelp("Plugins with values, or rigs, side by side.", valueName: "side"))
  var words: [String]
  @Option(help: ArgumentHelp("Sample rate in Hz.", valueName: "hz"))
  var rate = 48_000
  @Flag(help: "Measure distortion at all levels and frequencies.")
  var grid = false
  @Flag(help: "Use plugins without testing them first.")
  var skipPreflight = false
  @Option(help: ArgumentHelp("Write a plot to this .png or .svg.", valueName: "file"))
  var plot: String?
  @Flag(help: "Overwrite existing files.")
  var force = false
  @Flag(help: "Print all values as CSV.")
  var csv = false
  @Flag(help: "Print JSON.")
  var json = false

  private static let maximumSideCount = 12

  func validate() throws {
    try OptionRanges.check("rate", rate, 8_000 ... 192_000)
    guard plot?.isEmpty != true else {
      throw ValidationError("The name of the plot file is empty.")
    }
    if csv, json { throw ValidationError("Print either CSV or JSON. Remove one option.") }
  }

  func run() throws {
    CrashReporter.begin()
    let interruption = TerminationSignals(onSignal: { FaultMonitor.shared?.beginEnding() })
    FaultMonitor.begin { fault in
      Terminal.error.writeLine("outboard: \(fault.message)")
      FaultMonitor.shared?.markReported()
      return nil
    }
    let groups = try SideRendering.groups(words)
    guard groups.count <= Self.maximumSideCount else {
      throw UsageError(
        "\(groups.count) plugins or rigs do not fit in a table. Use at most \(Self.maximumSideCount)."
      )
    }
    if let file = words.first(where: { $0 != "-" && AudioFileName.matches($0) }) {
      throw UsageError("\(file) is an audio file, not a plugin. Use `outboard analyse` for files.")
    }
    let library = PluginLibrary()
    let options = SideRendering.Settings(runsPreflight: !skipPreflight)
    let sides = try groups.map { try SideRendering($0, options, library) }
    for side in sides { try library.checkUsable(side.prepared.plugins) }
    if let generator = sides.first(where: { !$0.prepared.usesInput }) {
      throw UsageError("\(generator.name) has no audio input, so there is nothing to measure.")
    }
    let picture = try plot.map { try PlotFile($0, force) }
    interruption.begin()
    let signal = MeasurementSignal(sampleRateHz: rate, hasGrid: grid)
    var line = StatusLine(.error)
    defer { line.clear() }
    let results = try sides.map { side in
      try side.measure(signal, library, interruption) { part in
        if !json { line.show(["measuring \(side.name)   \(NumberFormat.percent(part))"]) }
      }
    }
    line.clear()
    let report = MeasurementReport(signal, results)
    if let picture { try picture.write(report.plot) }
    if json {
      JSONOutput.print(results.map { MeasurementJSON($0, signal) })
    } else {
      let lines = csv ? report.csv : report.table.lines(width: nil)
      for text in lines { Terminal.output.writeLine(text) }
      guard !csv else { return }
      for text in report.gridLines { Terminal.output.writeLine(text) }
      for text in ["", "Settings"] + report.settings { Terminal.output.writeLine(text) }
    }
  }
}
