// SweepCommand.swift: `outboard sweep`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import Glibc
import InstalledFormats
import Metering
import Plotting
import PluginLoading

/// Renders a plugin with several values of a parameter.
struct SweepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Render with several values of a parameter.",
    discussion: """
      outboard sweep overdrive drive=0..40/5 -i riff.wav -o drive/
      outboard sweep parametric-eq band_3_frequency=100Hz..10kHz/9 -o eq/ --plot eq.svg

      drive=0..40/5 is 5 values from 0 to 40, at equal steps, or at equal ratios if the parameter is \
      logarithmic. Without -i, a test signal is rendered.
      """)

  @Argument(
    help: ArgumentHelp(
      "Plugins in order, one with symbol=low..high/count.", valueName: "plugin [symbol=value ...]"))
  var words: [String] = []
  @OptionGroup var rendering: SideArguments
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Output directory.", valueName: "dir"))
  var output: String
  @Option(help: ArgumentHelp("File format of the outputs, e.g. wav, flac.", valueName: "format"))
  var container: AudioContainer = .wav
  @Option(help: ArgumentHelp("Write a plot to this .png or .svg.", valueName: "file"))
  var plot: String?
  @Flag(help: "Overwrite existing files.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard !output.isEmpty, output != "-" else {
      throw ValidationError("Name an output directory with -o, e.g. -o sweep/.")
    }
    guard plot?.isEmpty != true else {
      throw ValidationError("The name of the plot file is empty.")
    }
  }

  func run() throws {
    let interruption = TerminationSignals(isBlocked: { StreamWaitNotice.isWaiting })
    StreamWaitNotice.begin()
    let sweep = try ParameterSweep(words, rendering, PluginLibrary())
    let picture = try plot.map { try PlotFile($0, force) }
    interruption.begin()
    for note in sweep.notes { Terminal.error.writeLine("outboard: \(note)") }
    let directory = output.hasSuffix("/") ? String(output.dropLast()) : output
    let isNew = unsafe mkdir(directory, 0o777) == 0
    // Only an empty directory is removed.
    defer { if isNew { unsafe rmdir(directory) } }
    var rows: [SweepRow] = []
    var line = StatusLine(.error)
    defer { line.clear() }
    for (index, value) in sweep.values.enumerated() {
      if !json { line.show(["\(sweep.symbol)=\(value)   \(index + 1) of \(sweep.values.count)"]) }
      let file = "\(directory)/\(sweep.symbol)-\(value).\(container.extensions[0])"
      let notes = try sweep.render(value, to: file, force, interruption)
      line.clear()
      for note in notes { Terminal.error.writeLine("outboard: \(sweep.symbol)=\(value): \(note)") }
      guard let sound = try FileAnalysis.of(file, shouldContinue: { _ in !interruption.isRaised })
      else {
        throw AnalysisInterrupted()
      }
      rows.append(SweepRow(value, sound))
    }
    line.clear()
    if let picture { try picture.write(Self.plot(sweep, rows)) }
    if json {
      JSONOutput.print(rows)
    } else {
      for text in Self.table(sweep, rows).lines(width: nil) { Terminal.output.writeLine(text) }
    }
  }

  private static func table(_ sweep: ParameterSweep, _ rows: [SweepRow]) -> Table {
    var table = Table([
      .init(sweep.symbol.uppercased(), .right), .init("PEAK", .right), .init("TRUE", .right),
      .init("RMS", .right), .init("LUFS", .right), .init("FILE"),
    ])
    for row in rows {
      table.add(
        [row.value] + row.levels.map { NumberFormat.decibels($0) } + [row.file])
    }
    return table
  }

  private static func plot(_ sweep: ParameterSweep, _ rows: [SweepRow]) -> CurvePlot {
    let names = ["peak, dBFS", "true peak, dBTP", "RMS, dBFS", "loudness, LUFS"]
    let curves = names.indices.map { index in
      CurvePlot.Curve(
        names[index],
        rows.map { SIMD2(Double($0.value) ?? 0, $0.levels[index]) })
    }
    let unit = sweep.unit.isEmpty ? sweep.symbol : "\(sweep.symbol), \(sweep.unit)"
    return CurvePlot(
      sweep.name,
      [
        CurvePlot.Panel(
          "Level", unit: "dB", horizontalUnit: unit, isLogarithmic: sweep.isLogarithmic, curves)
      ])
  }
}

/// The levels of one value.
private struct SweepRow: Encodable {
  let value: String
  let file: String
  let levels: [Double]

  init(_ value: String, _ sound: FileAnalysis) {
    (self.value, file) = (value, sound.path)
    levels = [
      sound.reading.highest, sound.reading.truePeak, sound.means.max() ?? -.infinity,
      sound.reading.integrated,
    ]
  }

  private enum Key: CodingKey {
    case value, file, peak, truePeak, rms, integrated
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(Double(value), forKey: .value)
    try values.encode(file, forKey: .file)
    for (key, level) in zip([Key.peak, .truePeak, .rms, .integrated], levels)
    where level.isFinite {
      try values.encode(level, forKey: key)
    }
  }
}
