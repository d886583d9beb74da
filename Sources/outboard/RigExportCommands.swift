// RigExportCommands.swift: `outboard export mod-host` and `outboard export pipewire`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import InstalledFormats
import PluginLoading
import RigExport
import RigSchema
import Session

/// Exports a rig for mod-host.
struct ExportModHostCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mod-host", abstract: "Export a rig as commands for mod-host.",
    discussion: """
      outboard export mod-host band.yaml -o band.txt

      The rig must contain only LV2 plugins, and nothing that mod-host cannot do in the same way. \
      Run the commands with `mod-host -i < band.txt`, or in mod-host with `load band.txt`.
      """)

  @OptionGroup var arguments: RigExportArguments

  func run() throws { try arguments.export(to: ModHostExporter.self) }
}

/// Exports a rig for PipeWire.
struct ExportPipeWireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pipewire", abstract: "Export a rig as a filter-chain of PipeWire.",
    discussion: """
      outboard export pipewire band.yaml -o ~/.config/pipewire/filter-chain.conf.d/band.conf

      The rig must contain only LV2 plugins and `outboard.parametric-eq` with `design: Bilinear`, \
      and nothing that a filter-chain cannot do in the same way.
      """)

  @OptionGroup var arguments: RigExportArguments

  func run() throws { try arguments.export(to: FilterChainExporter.self) }
}

/// The rig, and where the file is written.
struct RigExportArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("Rig file or name of an installed rig.", valueName: "rig"))
  var rig: String
  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Output file. (default: standard output)", valueName: "file"))
  var output: String?
  @Flag(help: "Overwrite existing files.")
  var force = false

  func validate() throws {
    guard output?.isEmpty != true else { throw ValidationError("The name of the file is empty.") }
  }

  func export(to exporter: any RigExporter.Type) throws {
    let library = PluginLibrary()
    let prepared = try PreparedRig(try RigReader.read(named: rig, library.formats), library)
    let planned = exporter.keys.contains(.bypass) ? prepared.withoutBypass : prepared
    let text = try exporter.text(of: prepared.rig, try planned.plan())
    if !prepared.rig.scenes.isEmpty {
      Terminal.error.writeLine(
        "outboard: The scenes are not exported. The file has the values at the start of the rig.")
    }
    guard let output else { return Terminal.output.write(text) }
    do {
      try WholeFile.write(text, to: output, replaces: force)
    } catch {
      guard case .outputExists = error else { throw error }
      throw UsageError("\(output) already exists. Choose another name or use --force.")
    }
  }
}
