// ImportCommand.swift: `outboard import`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import ErrorModel
import InstalledFormats
import PluginLoading
import RigImport
import RigSchema

/// Makes a rig of a project of another host.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a rig of another host's project.",
    discussion: """
      outboard import band.carxp -o band.yaml
      outboard import ~/.config/easyeffects/output/Loud.json -o loud.yaml
      outboard import Clean.pedalboard -o clean.yaml

      Imports Carla projects and presets, LV2 presets and states, mod-host command files, MOD \
      pedalboards, EasyEffects presets, PipeWire filter-chain configurations, and ecasound chains. \
      The format is recognised by the content. What cannot be carried over is printed, and written \
      to the top of the rig.
      """)

  @Argument(help: ArgumentHelp("Project, preset or directory.", valueName: "project"))
  var project: String
  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Rig file. (default: standard output)", valueName: "rig"))
  var output: String?
  @Flag(help: "Overwrite existing files.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard !project.isEmpty else { throw ValidationError("The name of the project is empty.") }
    guard output?.isEmpty != true else { throw ValidationError("The name of the rig is empty.") }
    guard !json || output != nil else { throw ValidationError("--json needs -o.") }
  }

  func run() throws {
    do {
      if let output { try WholeFile.check(output, replaces: force) }
      let found = try ProjectFormats.read(path: project)
      let imported = try ProjectResolver.rig(
        of: found, path: project, output: output, PluginLibrary())
      if let output { try WholeFile.write(imported.text, to: output, replaces: force) }
      report(imported)
    } catch let error as AudioFileError {
      guard case .outputExists(let path) = error else { throw error }
      throw UsageError("\(path) already exists. Choose another name or use --force.")
    }
  }

  private func report(_ imported: ImportedRig) {
    guard !json else { return JSONOutput.print(ImportJSON(imported)) }
    guard let output else {
      Terminal.output.write(imported.text)
      return imported.notes.forEach { Terminal.error.writeLine("outboard: \($0)") }
    }
    for note in imported.notes { Terminal.error.writeLine("outboard: \(note)") }
    let nodes = imported.rig.nodes.count
    Terminal.output.writeLine(
      "\(output): \(nodes) node\(nodes == 1 ? "" : "s") of the \(imported.format)"
        + " \(imported.rig.name). Check it with `outboard check \(output)`.")
  }
}

/// The result as JSON.
private struct ImportJSON: Encodable {
  private let format: String
  private let nodes: Int
  private let notes: [String]

  init(_ imported: ImportedRig) {
    format = imported.format
    nodes = imported.rig.nodes.count
    notes = imported.notes.map(\.description)
  }
}
