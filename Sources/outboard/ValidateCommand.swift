// ValidateCommand.swift: `outboard validate`. SPDX-License-Identifier: MIT

import ArgumentParser
import RigSchema

/// Tests plugins in helper processes.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Test plugins for crashes, faults and real-time safety.",
    discussion: """
      The tests run in helper processes: blocks of every length, the full range of every parameter, \
      silence, NaN, state, and more. Allocations, locks and system calls of the audio thread are \
      recorded. With --quick the plugins only process audio, and save and restore their state.

      outboard validate outboard.parametric-eq band_3_gain=6
      """)

  @Argument(
    help: ArgumentHelp(
      "Plugins in order, each followed by parameter values.",
      valueName: "plugin [symbol=value ...]"))
  var plugins: [String] = []
  @Flag(help: "All plugins.")
  var all = false
  @Flag(help: "Short test, about one second per plugin.")
  var quick = false
  @Flag(help: "Also test plugins that are known to crash.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if plugins.isEmpty, !all { throw ValidationError("Name a plugin, or use --all.") }
    if !plugins.isEmpty, all {
      throw ValidationError("--all tests every plugin. Remove the names.")
    }
  }

  func run() throws {
    let links = all ? nil : try ChainLink.parse(plugins)
    let check = PluginValidationRun(isForced: force, isQuick: quick, asJSON: json)
    guard try check.run(links) else { throw ExitCode(Failure.Status.failure.rawValue) }
  }
}
