// AnalyseCommand.swift: `outboard analyse`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import ErrorModel
import FoundationEssentials
import Glibc
import Metering
import Plotting

/// Measures files.
struct AnalyseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyse",
    abstract: "Measure audio files: level, loudness, clipping.",
    discussion: """
      outboard analyse take.wav --plot take.png
      outboard analyse *.flac
      sox take.wav -t wav - norm | outboard analyse -

      Levels are in dBFS: a full-scale sine has 0 dBFS. Loudness is measured as in EBU R 128.
      """,
    aliases: ["analyze"])

  @Argument(help: ArgumentHelp("Audio file, or - for standard input.", valueName: "file"))
  var names: [String]
  @Option(
    help: ArgumentHelp(
      "Write a plot to this .png or .svg.", valueName: "file"))
  var plot: String?
  @Flag(help: "Overwrite existing files.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  private var files: [String] { ArgumentWords.expanded(names) }

  func validate() throws {
    let files = files
    guard !files.contains("") else { throw ValidationError("The name of a file is empty.") }
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("Standard input can be read only once. Remove one -.")
    }
    guard plot?.isEmpty != true else {
      throw ValidationError("The name of the plot file is empty.")
    }
  }

  func run() throws {
    let interruption = TerminationSignals(isBlocked: { StreamWaitNotice.isWaiting })
    StreamWaitNotice.begin()
    let files = files
    let pictures = try plot.map { try files.count == 1 ? [PlotFile($0, force)] : names(for: $0) }
    interruption.begin()
    var results: [FileAnalysis] = []
    var line = StatusLine(.error)
    defer { line.clear() }
    var failures = 0
    for (index, file) in files.enumerated() {
      let result: FileAnalysis?
      do {
        result = try FileAnalysis.of(file, isDrawn: plot != nil) { fraction in
          if !json, let fraction {
            line.show(["\(file)   \(NumberFormat.percent(min(1, fraction)))"])
          }
          return !interruption.isRaised
        }
      } catch {
        // A file that cannot be read does not stop the others.
        guard files.count > 1 else { throw error }
        line.clear()
        Terminal.error.writeLine("outboard: \(error)")
        failures += 1
        continue
      }
      guard let result else { throw AnalysisInterrupted() }
      if let pictures { try pictures[index].write(result) }
      results.append(result)
    }
    line.clear()
    report(results)
    if failures > 0 { throw ExitCode(Failure.Status.failure.rawValue) }
  }

  /// Writes a plot for each file.
  private func names(for plot: String) throws -> [PlotFile] {
    try AudioPlot.checkExtension(plot)
    // Both known extensions have the same length.
    let (stem, ending) = (plot.dropLast(4), plot.suffix(4))
    var seen: Set<String> = []
    return try files.map { file in
      let name =
        file == "-"
        ? "stdin" : URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
      var path = "\(stem)-\(name)\(ending)"
      var number = 1
      while !seen.insert(path).inserted {
        number += 1
        path = "\(stem)-\(name)-\(number)\(ending)"
      }
      return try PlotFile(path, force)
    }
  }

  private func report(_ results: [FileAnalysis]) {
    for note in results.compactMap(\.note) { Terminal.error.writeLine("outboard: \(note)") }
    if json {
      JSONOutput.print(results.map(FileAnalysisJSON.init))
    } else if files.count == 1 {
      for text in results.flatMap({ AnalysisReport($0).lines }) { Terminal.output.writeLine(text) }
    } else {
      for text in AnalysisReport.table(results).lines(width: Terminal.output.columns) {
        Terminal.output.writeLine(text)
      }
    }
  }
}

/// The user ended it.
struct AnalysisInterrupted {
  let description = "The analysis was interrupted before the end of the file."
}

extension AnalysisInterrupted: HostError {
  /// A failed analysis is a failure, not a wrong request.
  var kind: ErrorKind { .failure }
}
