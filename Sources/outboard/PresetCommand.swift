// PresetCommand.swift: `outboard preset`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import InstalledFormats
import PluginLoading
import PluginModel
import PluginReports
import Session

/// Lists and saves presets of LV2 plugins.
struct PresetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preset", abstract: "List and save presets of LV2 plugins.",
    subcommands: [List.self, Save.self])

  /// Lists the presets of a plugin.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the presets of a plugin.")

    @Argument(help: "Plugin URI, id, part of the name, or path.")
    var plugin: String
    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
      let library = PluginLibrary()
      let found = try library.find(plugin)
      let presets = try library.presets(of: found)
      if json {
        JSONOutput.print(presets.map(PresetReport.init))
      } else {
        for line in PresetFormatter.lines(presets) { Terminal.output.writeLine(line) }
        if presets.isEmpty {
          let remedy =
            library.presetStorage(of: found) != nil
            ? ". To save one, run `outboard preset save NAME PLUGIN"
              + " symbol=value`" : ""
          Terminal.error.writeLine("outboard: \(found.name) has no presets\(remedy).")
        }
      }
    }
  }

  /// Saves plugin settings as a preset.
  struct Save: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Save plugin settings as an LV2 preset.",
      discussion: """
        outboard preset save "Small room" "MDA Ambience" size=3 mix=0.4
        outboard preset save "Small room" --rig stage.yaml --node reverb
        """)

    @Argument(help: "Name of the preset.")
    var name: String
    @OptionGroup var rigArguments: RigArguments
    @Option(help: ArgumentHelp("Node of the rig.", valueName: "name"))
    var node: String?
    @Option(help: ArgumentHelp("Preset bank.", valueName: "name"))
    var bank: String?
    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp(
        "Bundle to write. (default: a bundle in ~/.lv2)", valueName: "dir"))
    var output: String?
    @Flag(help: "Overwrite an existing preset.")
    var force = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
      try rigArguments.require()
      for (text, what) in [(name, "preset"), (bank ?? "-", "bank"), (output ?? "-", "output")]
      where text.allSatisfy(\.isWhitespace) {
        throw ValidationError("The name of the \(what) is empty.")
      }
    }

    func run() throws {
      let library = PluginLibrary()
      var request = PresetSaving.Request(name: name)
      request.node = node
      request.bank = bank
      request.directory = output
      request.replaces = force
      let saving = try PresetSaving(try rigArguments.prepare(library), library, request)
      for note in saving.notes { Terminal.error.writeLine("outboard: \(note)") }
      let preset = try saving.save()
      if json {
        JSONOutput.print(PresetReport(preset))
      } else {
        Terminal.output.writeLine("\(preset.fullName): \(preset.location)")
      }
    }
  }
}

/// Presets as text.
enum PresetFormatter {
  /// Returns the names; presets of a bank are below the bank name.
  static func lines(_ presets: [PluginPreset]) -> [String] {
    let loose = presets.filter { $0.bank == nil }.map { "  \($0.name)" }
    let banked = Dictionary(grouping: presets.filter { $0.bank != nil }) { $0.bank }
    let banks = banked.sorted { ($0.key?.name ?? "") < ($1.key?.name ?? "") }
    return loose
      + banks.flatMap { bank, presets in
        ["  \(bank?.name ?? "")"] + presets.map { "    \($0.name)" }
      }
  }
}
