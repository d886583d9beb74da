// ExportCommand.swift: `outboard export`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Glibc
import InstalledFormats
import LV2Export
import PluginLoading
import PluginModel

/// Exports modules and rigs for other hosts.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Export a module or rig for other hosts.",
    subcommands: [LV2.self, ExportModHostCommand.self, ExportPipeWireCommand.self])

  /// Exports a module as an LV2 bundle.
  struct LV2: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "lv2",
      abstract: "Export a module as an LV2 bundle.",
      discussion: """
        outboard export lv2 reverb -o ~/.lv2
        outboard export lv2 my_effect.c -o build --uri https://example.org/my_effect

        The bundle contains the manifest as Turtle, the module's library, and a small library that LV2 \
        hosts load. The bundle gives the same samples as Outboard. A source is compiled for any machine of \
        this kind; if that changes the samples, the difference is measured and printed.
        """)

    @Argument(
      help: ArgumentHelp(
        "Module id, name or path, or a source file.", valueName: "module"))
    var module: String
    @Option(
      name: [.short, .customLong("output")],
      help: ArgumentHelp("Output directory.", valueName: "dir"))
    var output: String
    @Option(
      help: ArgumentHelp(
        "Plugin URI. (default: urn:outboard:module:ID)", valueName: "uri"))
    var uri: String?
    @Flag(help: "Overwrite existing files.")
    var force = false

    func run() throws {
      let library = PluginLibrary(compilesPortably: true)
      let plugin = try library.find(module)
      if let note = library.note(of: plugin) { Terminal.error.writeLine("outboard: \(note)") }
      try ModuleExport.check(plugin, uri: uri)
      try library.preflight([plugin])
      for remark in library.preflightRemarks { Terminal.error.writeLine("outboard: \(remark)") }
      let product = try ModuleExport.writeLV2(plugin, to: output, uri: uri, replaces: force)
      Terminal.output.writeLine(
        "\(plugin.name) was exported to \(product.bundle) as \(product.uri).")
      if let note = ModuleExport.rateNote(of: plugin) {
        Terminal.error.writeLine("outboard: \(note)")
      }
      guard library.build(of: plugin) != nil, let difference = difference(from: plugin) else {
        return
      }
      let decibels = NumberFormat.decibels(20 * log10(Double(difference)))
      Terminal.output.writeLine(
        "The output differs from `outboard run` by up to \(decibels) dBFS. The source is"
          + " compiled for this CPU there and for any CPU of this type here.")
    }

    /// The largest difference from the build that `run` uses, linear; nil if there is none or it is unknown.
    private func difference(from exported: PluginDescription) -> Float? {
      let library = PluginLibrary()
      guard let native = try? library.find(module), (try? library.preflight([native])) != nil,
        let difference = try? ModuleExport.difference(native, exported)
      else { return nil }
      return difference > 0 ? difference : nil
    }
  }
}
