// InstallCommand.swift: `outboard add` and `outboard remove`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import PluginModel
import PluginValidation
import Rig

/// Installs a module for this user.
struct InstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Check a module, and install it for this user.",
    discussion: """
      outboard add my_effect.c
      outboard add build/echo.so

      A source is compiled; a library has its manifest beside it. It is taken through what a plugin \
      should survive, as by `outboard check`, and then `outboard list` shows it.
      """)

  @Argument(help: ArgumentHelp("A source file, a folder of them, or a library.", valueName: "path"))
  var path: String
  @Flag(
    help: """
      Replace one of the same id; and take one that breaks rules, as long as it does not crash.
      """)
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard PluginLibrary.isPath(path) || FileManager.default.fileExists(atPath: path) else {
      throw ValidationError(
        "\(path) is no path of a source or a library; for one in this folder write ./\(path).")
    }
  }

  func run() throws {
    let library = PluginLibrary()
    let plugin = try library.find(path)
    try library.checkByTrial([plugin])
    for remark in library.trialRemarks { Terminal.error.writeLine("outboard: \(remark)") }
    if let note = library.note(of: plugin) { Terminal.error.writeLine("outboard: \(note)") }
    let report = PluginValidator().inspect(plugin)
    if !json { ValidationFormatter.table(report, of: plugin).forEach(Terminal.output.writeLine) }
    guard report.verdict == .safe || (force && report.verdict < .unusable) else {
      if json { JSONOutput.print(InspectionJSON(report, of: plugin)) }
      throw UsageError(plugin: plugin, verdict: report.verdict)
    }
    let added = try UserModules.add(plugin, replaces: force)
    // What was found holds for the copy as well; `list` shows it.
    ValidationRecord(PluginLibrary(), added)?.remember(report)
    if json {
      JSONOutput.print(InspectionJSON(report, of: added))
    } else {
      Terminal.output.writeLine(
        "\(added.name) is added as \(added.identifier); `outboard run \(added.identifier)` plays it."
      )
    }
  }

  /// It was checked, and is not fit to be installed.
  struct UsageError: Error, CustomStringConvertible {
    let plugin: PluginDescription
    let verdict: PluginRating

    var description: String {
      let hint =
        verdict < .unusable
        ? "mend it, or take it as it is with --force" : "mend it; nothing was installed"
      return "\(plugin.name) is not added, as it is \(Self.words(verdict)); \(hint)."
    }

    private static func words(_ verdict: PluginRating) -> String {
      verdict == .crashes ? "one that crashes" : verdict.word
    }
  }
}

/// Takes away what `outboard add` installed.
struct UninstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take away a module that was added.")

  @Argument(help: ArgumentHelp("Its id or its name.", valueName: "module"))
  var name: String

  func run() throws {
    let removed = try UserModules.remove(name)
    Terminal.output.writeLine("\(removed.name) (\(removed.identifier)) is removed.")
  }
}
