// InstallCommand.swift: `outboard install` and `outboard uninstall`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import ErrorModel
import FoundationEssentials
import Glibc
import InstalledFormats
import NativeModules
import PluginCatalogue
import PluginLoading
import PluginModel
import PluginValidation

/// Installs a module for this user.
struct InstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Validate and install a module for this user.",
    discussion: """
      outboard install my_effect.c
      outboard install build/echo.so

      A source file is compiled. A library needs its manifest in the same directory. The module \
      is tested as by `outboard validate` before it is installed.
      """)

  @Argument(help: ArgumentHelp("Source file, directory of sources, or library.", valueName: "path"))
  var path: String
  @Flag(
    help: "Replace an installed module; accept failed tests except crashes.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard FormatRegistry.installed.isPath(path) || FileManager.default.fileExists(atPath: path)
    else {
      throw ValidationError(
        "\(path) is not the path of a source or a library. For a file in this directory write ./\(path)."
      )
    }
  }

  func run() throws {
    let library = PluginLibrary()
    let plugin = try library.find(path)
    try library.preflight([plugin])
    for remark in library.preflightRemarks { Terminal.error.writeLine("outboard: \(remark)") }
    if let note = library.note(of: plugin) { Terminal.error.writeLine("outboard: \(note)") }
    let report = PluginValidator().validate(plugin)
    if !json { ValidationFormatter.table(report, of: plugin).forEach(Terminal.output.writeLine) }
    guard report.rating == .safe || (force && report.rating < .unusable) else {
      if json { JSONOutput.print(ValidationJSON(report, of: plugin)) }
      throw UsageError(plugin: plugin, rating: report.rating)
    }
    let added = try UserModules.add(plugin, replaces: force)
    // The test result is also valid for the copy. `list` shows it.
    ValidationRecord(PluginLibrary(), added)?.store(report)
    if json {
      JSONOutput.print(ValidationJSON(report, of: added))
    } else {
      Terminal.output.writeLine(
        "\(added.name) is installed as \(added.identifier). Run it with `outboard run \(added.identifier)`."
      )
    }
  }

  /// A module failed the checks before its installation.
  struct UsageError: HostError {
    let plugin: PluginDescription
    let rating: PluginRating
    var kind: ErrorKind { .failure }

    var description: String {
      let hint =
        rating < .unusable
        ? "Fix it, or use --force" : "Fix it and try again"
      return "\(plugin.name) was not installed: it is \(Self.ratingText(rating)). \(hint)."
    }

    private static func ratingText(_ rating: PluginRating) -> String {
      rating == .crashes ? "one that crashes" : rating.word
    }
  }
}

/// Uninstalls a module that `outboard install` installed.
struct UninstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall", abstract: "Uninstall a module.")

  @Argument(help: ArgumentHelp("Id or name of the module.", valueName: "module"))
  var name: String

  func run() throws {
    let removed = try UserModules.remove(name)
    Terminal.output.writeLine("\(removed.name) (\(removed.identifier)) is uninstalled.")
  }
}
