// FaultsCommand.swift: `outboard faults`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import PluginCatalogue

/// Lists and forgets plugins that crashed or stalled.
struct FaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "List plugins that crashed or stalled.",
    discussion: """
      Sessions run these plugins in worker processes, until the file of the plugin changes or the fault is
      forgotten.
      """)

  @Argument(help: "Plugin URI, id, name, or path. (default: all)")
  var plugins: [String] = []
  @Flag(help: "Forget the faults.")
  var forget = false
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let memory = FaultMemory.ofUser
    let all = memory?.takeStock() ?? []
    let chosen = plugins.isEmpty ? all : try plugins.flatMap { try Self.faults(of: $0, in: all) }
    if forget {
      for fault in chosen { memory?.forget(fault) }
    }
    if json { return JSONOutput.print(chosen.map(FaultReport.init)) }
    guard !chosen.isEmpty else {
      Terminal.output.writeLine("No plugin has crashed or stalled.")
      return
    }
    for fault in chosen {
      Terminal.output.writeLine(
        "\(fault.name) \(fault.deed) on \(fault.day)\(forget ? ", which is forgotten" : "")."
          .printable)
      Terminal.output.writeLine("  \(fault.identifier)".printable)
      Terminal.output.writeLine("  \(fault.path)".printable)
    }
  }

  private static func faults(
    of name: String, in all: [RememberedFault]
  ) throws -> [RememberedFault] {
    let found = all.filter { [$0.identifier, $0.name, $0.path].contains(name) }
    guard !found.isEmpty else {
      throw UsageError("No fault of \(name) is known. List them with `outboard faults`.")
    }
    return found
  }
}

/// A fault in `faults --json`.
private struct FaultReport: Encodable {
  let id: String
  let name: String
  let path: String
  let fault: String
  /// In seconds since 1970.
  let time: Int64

  init(_ fault: RememberedFault) {
    (id, name, path) = (fault.identifier, fault.name, fault.path)
    (self.fault, time) = (fault.deed, fault.seconds)
  }
}
