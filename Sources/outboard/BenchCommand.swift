// BenchCommand.swift: `outboard bench`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import InstalledFormats
import PluginLoading
import PluginModel
import PluginValidation
import RigSchema

/// Benchmarks the CPU time of plugins.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Benchmark the CPU time of plugins.",
    discussion: """
      Each plugin renders noise in a helper process, one after another. The CPU time of the \
      thread is measured, so other programs are not counted. Use an idle machine, because they slow down the caches. \
      With --all the most expensive plugin comes first.

      outboard bench outboard.parametric-eq band_3_gain=6 http://gareus.org/oss/lv2/fil4#stereo
      """)

  @Argument(
    help: ArgumentHelp(
      "Plugins in order, each followed by parameter values.", valueName: "plugin [symbol=value ...]"
    ))
  var plugins: [String] = []
  @Flag(help: "All plugins.")
  var all = false
  @Option(
    help: ArgumentHelp("Block lengths to measure, comma-separated.", valueName: "frames,..."),
    transform: BenchCommand.lengths)
  var blockLengths = [16, 64, 256, 1_024]
  @Flag(help: "Print JSON.")
  var json = false

  private static let legalFrames = 1 ... 8_192

  private static func lengths(_ text: String) throws -> [Int] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let lengths = parts.compactMap { Int($0) }.filter { legalFrames ~= $0 }
    guard lengths.count == parts.count else {
      throw ValidationError(
        "--block-lengths \(text) is not a list of block lengths. Use numbers from \(legalFrames.lowerBound) to"
          + " \(legalFrames.upperBound), such as 16,64,256.")
    }
    return Set(lengths).sorted()
  }

  func validate() throws {
    if plugins.isEmpty, !all { throw ValidationError("Name a plugin, or use --all.") }
    if !plugins.isEmpty, all {
      throw ValidationError("--all measures every plugin. Remove the names.")
    }
  }

  func run() throws {
    let library = PluginLibrary()
    let links = all ? nil : try ChainLink.parse(plugins)
    let chosen = try links?.map { try find($0, library) } ?? library.installed
    let validator = PluginValidator()
    var rows: [BenchRow] = []
    for (index, plugin) in chosen.enumerated() {
      if Terminal.error.isInteractive {
        Terminal.error.writeRaw("\r\(index + 1) of \(chosen.count)")
      }
      var row = BenchRow(plugin, validator, blockLengths)
      row.fault = row.fault.map { library.replacingLibraryPath($0, of: plugin) }
      row.values = links?[index].assignments.map { "\($0.symbol)=\($0.value)" } ?? []
      rows.append(row)
    }
    if Terminal.error.isInteractive { Terminal.error.writeRaw("\r") }
    if all { rows.sort { $0.cost > $1.cost } }
    if json { JSONOutput.print(rows) } else { show(rows) }
    guard rows.allSatisfy({ $0.fault == nil }) else {
      throw ExitCode(Failure.Status.failure.rawValue)
    }
  }

  /// A plugin with its initial values.
  private func find(_ link: ChainLink, _ library: PluginLibrary) throws -> PluginDescription {
    let begun = try PluginWithValues(link, library)
    let plugin = begun.plugin
    if let setting = begun.properties.first {
      throw UsageError(
        "\(plugin.properties[setting.property].name) of \(plugin.name) is a file property."
          + " `outboard bench` sets only parameters. Remove it.")
    }
    for note in begun.notes { Terminal.error.writeLine("outboard: \(note)") }
    return plugin
  }

  private func show(_ rows: [BenchRow]) {
    var table = Table(
      [.init("NAME", canShrink: true)]
        + blockLengths.map { .init("NS/FRAME \($0)", .right) }
        + blockLengths.map { .init("LOAD \($0)", .right) }
        + [.init("SLOW \(blockLengths[0])", .right), .init("ID")])
    for row in rows where row.fault == nil {
      table.add(
        [([row.name] + row.values).joined(separator: " ")]
          + row.blocks.map { NumberFormat.fixed($0.nanosecondsPerFrame, places: 1) }
          + row.blocks.map { NumberFormat.fixed($0.loadPercent, places: 2) + " %" }
          + [NumberFormat.fixed(row.blocks.first?.slowLoadPercent ?? 0, places: 2) + " %", row.id])
    }
    if rows.contains(where: { $0.fault == nil }) {
      for line in table.lines(width: Terminal.output.columns) { Terminal.output.writeLine(line) }
    }
    for row in rows {
      guard let fault = row.fault else { continue }
      let name = fault.hasPrefix(row.name + " ") ? "" : "\(row.name): "
      Terminal.error.writeLine("outboard: \(name)\(fault)")
    }
  }
}

/// The CPU times of one plugin, or the reason why it has none.
private struct BenchRow: Encodable {
  struct Block: Encodable {
    let frames: Int
    let medianNanoseconds: Double
    let nanosecondsPerFrame: Double
    let slowNanoseconds: Double
    let loadPercent: Double
    let slowLoadPercent: Double
    let blockCount: Int
  }

  let id: String
  let name: String
  let blocks: [Block]
  /// The values of the command line, as in `mix=30`.
  var values: [String] = []
  var fault: String?

  init(_ plugin: PluginDescription, _ validator: PluginValidator, _ frames: [Int]) {
    id = plugin.identifier
    name = plugin.name
    if let refusal = plugin.refusal {
      fault = refusal
      blocks = []
      return
    }
    do throws(BenchmarkError) {
      blocks = try validator.time(plugin, frameCounts: frames).map { timing in
        Block(
          frames: timing.frameCount, medianNanoseconds: timing.medianNanoseconds,
          nanosecondsPerFrame: timing.nanosecondsPerFrame,
          slowNanoseconds: timing.slowNanoseconds, loadPercent: timing.load * 100,
          slowLoadPercent: timing.slowLoad * 100, blockCount: timing.blockCount)
      }
      fault = nil
    } catch {
      blocks = []
      fault = error.message
    }
  }

  /// The sort key: time per frame in the shortest blocks.
  ///
  /// Failed plugins come last.
  var cost: Double { blocks.first?.nanosecondsPerFrame ?? -1 }
}
