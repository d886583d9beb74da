// TopCommand.swift: `outboard top`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel

/// Shows the CPU load of the nodes of a session.
struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "Show CPU load per node, updated live.",
    discussion: """
      Values are percentages of a period; 100 % is the limit for all nodes together. The FAULTS column shows \
      the number of faults and the last one: nan, runaway, overload, dc-offset or worker. The ISOLATED column \
      shows the worker process of a node, and why it has one without a request. Press Ctrl-C to stop.
      """)

  /// The sort keys of the table.
  enum Order: String, ExpressibleByArgument, CaseIterable {
    case rig, mean, p99, worst, peak, latency, faults, name
  }

  @OptionGroup var choice: SessionOption
  @Option(help: "Sort by mean, p99, worst, peak, latency, faults, name.")
  var sort: Order = .mean
  @Option(help: ArgumentHelp("Time between updates, e.g. 500ms.", valueName: "time"))
  var interval = TimeOption(seconds: 1)
  @Option(help: ArgumentHelp("Number of updates.", valueName: "count"))
  var count: Int?
  @Flag(help: "Print one JSON object per update.")
  var json = false

  func validate() throws {
    // A session measures for 5 s after each request.
    try OptionRanges.check("interval", interval, 0.1 ... 4)
    if let count, count < 1 {
      throw ValidationError("--count \(count) is out of range. Use 1 or more.")
    }
  }

  func run() throws {
    let stopper = TerminationSignals()
    stopper.begin()
    // The first reply covers no block yet.
    _ = try choice.send(.top)
    var line = StatusLine(.output)
    var pollCount = 0
    while !stopper.isRaised, pollCount < count ?? .max {
      stopper.wait(seconds: interval.seconds)
      guard !stopper.isRaised else { break }
      guard case .nodeLoads(let loads)? = try choice.send(.top).result else { break }
      show(sorted(loads), &line)
      pollCount += 1
    }
    if Terminal.output.columns != nil, !json { Terminal.output.writeLine("") }
  }

  private func show(_ loads: [NodeLoadInfo], _ line: inout StatusLine) {
    if json {
      JSONOutput.printLine(loads)
    } else if let columns = Terminal.output.columns {
      line.show(table(loads).lines(width: columns - 1))
    } else {
      for text in table(loads).lines(width: nil) { Terminal.output.writeLine(text) }
      Terminal.output.writeLine("")
    }
  }

  private func sorted(_ loads: [NodeLoadInfo]) -> [NodeLoadInfo] {
    switch sort {
    case .rig: loads
    case .mean: loads.sorted { $0.mean > $1.mean }
    case .p99: loads.sorted { $0.p99 > $1.p99 }
    case .worst: loads.sorted { $0.worst > $1.worst }
    case .peak: loads.sorted { $0.peak ?? -.infinity > $1.peak ?? -.infinity }
    case .latency: loads.sorted { $0.latency > $1.latency }
    case .faults: loads.sorted { $0.faults > $1.faults }
    case .name: loads.sorted { $0.name < $1.name }
    }
  }

  private func table(_ loads: [NodeLoadInfo]) -> Table {
    var table = Table([
      .init("NODE", canShrink: true), .init("MEAN", .right), .init("P99", .right),
      .init("WORST", .right), .init("PEAK", .right), .init("LATENCY", .right),
      .init("FAULTS", .right), .init("ISOLATED"), .init("PLUGIN"),
    ])
    func percent(_ value: Double) -> String { NumberFormat.fixed(value, places: 2) + " %" }
    for load in loads {
      table.add([
        load.name, percent(load.mean), percent(load.p99), percent(load.worst),
        load.peak.map { NumberFormat.fixed($0, places: 1) + " dB" } ?? "silent", "\(load.latency)",
        "\(load.faults)\(load.lastFault.map { " (\($0))" } ?? "")", Self.isolation(load),
        load.plugin,
      ])
    }
    let total = loads.reduce(0) { $0 + $1.mean }
    table.add(["all", percent(total), "", "", "", "", "", "", ""])
    return table
  }

  private static func isolation(_ load: NodeLoadInfo) -> String {
    let process = load.sandbox == true ? "sandbox" : load.isolation ?? ""
    return process + (load.isolationReason.map { " (\($0))" } ?? "")
  }
}
