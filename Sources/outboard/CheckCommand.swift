// CheckCommand.swift: `outboard check`. SPDX-License-Identifier: MIT

import ArgumentParser

/// Checks rig files.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check rig files for errors.",
    discussion: """
      Reports every error that `outboard run` and `outboard render` would report before they open a \
      device. The nodes are created and the graph is compiled. --skip-preflight checks the file only.

      Use `outboard validate` to test plugins.
      """)

  @Argument(help: ArgumentHelp("Rig files or names of installed rigs.", valueName: "rig"))
  var rigs: [String] = []
  @Flag(help: "Check the files only, without creating their plugins.")
  var skipPreflight = false
  @OptionGroup var helperArguments: HelperArguments
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard !rigs.isEmpty else {
      throw ValidationError("Name a rig. To test a plugin, use `outboard validate PLUGIN`.")
    }
  }

  func run() throws {
    helperArguments.begin()
    guard try RigCheck(asJSON: json, skipsPreflight: skipPreflight).run(rigs) else {
      throw ExitCode(Failure.Status.usageError.rawValue)
    }
  }
}
