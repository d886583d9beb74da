// MetersCommand.swift: `outboard meters`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel

/// Shows the meters of a session.
struct MetersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meters",
    abstract: "Show levels and loudness of a session.",
    discussion: """
      Shows the input, the output, and each `builtin: meter` of the rig. Levels are in dBFS, loudness in \
      LUFS. Input and output are measured from the first request on. Press Ctrl-C to stop; the \
      measurement continues.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp(
      "Meters to show: input, output, or node names. (default: all)", valueName: "meter"))
  var names: [String] = []
  @Option(help: ArgumentHelp("Time between updates, e.g. 500ms.", valueName: "time"))
  var interval: TimeOption?
  @Option(help: ArgumentHelp("Number of updates.", valueName: "count"))
  var count: Int?
  @Flag(help: "Reset loudness, maxima and clip counts first.")
  var reset = false
  @Flag(help: "Show third-octave bands.")
  var spectrum = false
  @Flag(help: "Print one JSON list per update.")
  var json = false

  func validate() throws {
    try OptionRanges.check("interval", interval, 0.05 ... 3_600)
    if let count, count < 1 {
      throw ValidationError("--count \(count) is out of range. Use 1 or more.")
    }
  }

  func run() throws {
    let stopper = TerminationSignals()
    stopper.begin()
    // The first reply covers no audio yet, but reports unknown names at once.
    _ = try chosen(choice.send(.meters(.init(reset: reset))))
    var line = StatusLine(.output)
    var pollCount = 0
    while !stopper.isRaised, pollCount < count ?? .max {
      stopper.wait(seconds: pause)
      guard !stopper.isRaised else { break }
      show(try chosen(choice.send(.meters(.init()))), &line)
      pollCount += 1
    }
    if Terminal.output.columns != nil, !json { Terminal.output.writeLine("") }
  }

  /// The update interval: 0.1 s on a terminal, 1 s for files and programs.
  private var pause: Double {
    interval?.seconds ?? (Terminal.output.isInteractive && !json ? 0.1 : 1)
  }

  private func chosen(_ reply: Reply) throws -> [MeterValues] {
    guard case .meters(let all)? = reply.result else { return [] }
    guard !names.isEmpty else { return all }
    return try names.map { name in
      guard let meter = all.first(where: { $0.name.lowercased() == name.lowercased() }) else {
        let known = all.map(\.name).joined(separator: ", ")
        throw ValidationError("No such meter: \(name). Use \(known).")
      }
      return meter
    }
  }

  private func show(_ meters: [MeterValues], _ line: inout StatusLine) {
    if json {
      JSONOutput.printLine(meters)
    } else if let columns = Terminal.output.columns {
      line.show(MeterFormatter(meters, columns: columns, showsSpectrum: spectrum).lines)
    } else {
      for text in MeterFormatter(meters, columns: 80, showsSpectrum: spectrum).lines {
        Terminal.output.writeLine(text)
      }
      Terminal.output.writeLine("")
    }
  }
}
