// CheckCommand.swift: `outboard check`. SPDX-License-Identifier: MIT

import ArgumentParser
import Rig

/// Validates rigs, or takes plugins through what they should survive.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check rigs without opening a device; or check plugins.",
    discussion: """
      A rig is refused for whatever `run` and `render` would refuse before they open a device: its nodes are \
      made and its graph is compiled. --skip-trial checks the file alone.

      With --plugin or --all, plugins run in child processes through what they should survive: blocks \
      of every length, every parameter from end to end, silence, NaN, state, and more; and it is \
      watched whether they allocate, lock or enter the kernel while they render. With --quick they are \
      only used as usual, and their state is saved and restored.

      What follows a plugin are the values and files that it begins with, as in a chain:

      outboard check --plugin outboard.equaliser band_3_gain=6
      """)

  @Argument(
    help: ArgumentHelp(
      "Rigs to check; or values that the plugin begins with.", valueName: "rig | symbol=value"))
  var rigs: [String] = []
  @Option(
    name: .customLong("plugin"),
    help: ArgumentHelp("Check this plugin; may be given again.", valueName: "plugin"))
  var plugins: [String] = []
  @Flag(help: "Check every installed plugin.")
  var all = false
  @Flag(help: "Check plugins too that are known to crash and have not changed since.")
  var force = false
  @Flag(
    help: "Only use each plugin as usual, and save and restore its state: about a second for each.")
  var quick = false
  @Flag(help: "Check the files of rigs alone: neither try nor create their plugins.")
  var skipTrial = false
  @OptionGroup var helperArguments: HelperArguments
  @Flag(help: "Print JSON.")
  var json = false

  private var areRigs: Bool { plugins.isEmpty && !all }

  /// The plugins, with the values that one of them begins with.
  private func links() throws(ChainError) -> [ChainLink] {
    guard plugins.count == 1 else {
      return plugins.map { ChainLink(plugin: $0) }
    }
    var link = ChainLink(plugin: plugins[0])
    // What precedes the values may be a word with an equals sign itself.
    link.assignments = try ChainLink.parse(["-"] + rigs)[0].assignments
    return [link]
  }

  /// Whether all words are values of plugins.
  private var areValues: Bool {
    (try? ChainLink.parse(["-"] + rigs).count) == 1
  }

  func validate() throws {
    if rigs.isEmpty, areRigs {
      throw ValidationError("Name rigs, or plugins with --plugin PLUGIN or --all.")
    }
    if !rigs.isEmpty, areValues {
      guard !areRigs else {
        throw ValidationError(
          "\(rigs[0]) is a value, and rigs have theirs in the file; name a plugin with --plugin PLUGIN."
        )
      }
      guard plugins.count == 1 else {
        throw ValidationError(
          "Values such as \(rigs[0]) belong to one plugin; check one plugin at a time with them.")
      }
    } else if !rigs.isEmpty, !areRigs {
      throw ValidationError("Check either rigs or plugins, not both at once.")
    }
    if all, !plugins.isEmpty {
      throw ValidationError("--all checks every plugin; leave --plugin out.")
    }
    if quick, areRigs {
      throw ValidationError("--quick is for plugins; rigs are always checked as a whole.")
    }
    if helperArguments.noHelpers, !areRigs {
      throw ValidationError(
        "--no-helpers is for rigs; a plugin is checked in a process that may crash. `outboard render`"
          + " and `outboard run` take it.")
    }
    if skipTrial, !areRigs {
      throw ValidationError("--skip-trial is for rigs; checking a plugin runs it.")
    }
    if force, areRigs {
      throw ValidationError("--force is for plugins that crashed; rigs are always checked.")
    }
  }

  func run() throws {
    let isGood =
      areRigs
      ? try RigCheck(asJSON: json, skipsTrial: skipTrial).run(rigs)
      : try PluginValidationRun(isForced: force, isQuick: quick, asJSON: json).run(
        all ? nil : links())
    guard isGood else {
      // A rig that is wrong is a wrong request; a plugin that is wrong is what was to be found out.
      let status = areRigs ? Failure.Status.requestWrong : .workFailed
      throw ExitCode(status.rawValue)
    }
  }
}
