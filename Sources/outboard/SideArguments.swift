// SideArguments.swift: how the plugins and rigs of `compare` are rendered. SPDX-License-Identifier: MIT

import ArgumentParser
import Console

/// Options for the rendering of plugins and rigs.
struct SideArguments: ParsableArguments {
  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp("Input file of plugins and rigs.", valueName: "file"))
  var input: String?
  @Option(help: ArgumentHelp("MIDI file to play.", valueName: "file"))
  var midi: String?
  @Option(help: ArgumentHelp("Stop after this time.", valueName: "time"))
  var duration: TimeOption?
  @Option(help: ArgumentHelp("Time to render after the input ends.", valueName: "time"))
  var tail: TimeOption?
  @Flag(help: "Use plugins without testing them first.")
  var skipPreflight = false

  func validate() throws {
    guard input?.isEmpty != true else {
      throw ValidationError("The name of the input is empty.")
    }
    guard input != "-" else {
      throw ValidationError("Two renderings cannot read standard input. Give -i a file.")
    }
    guard midi?.isEmpty != true else {
      throw ValidationError("The name of the MIDI file is empty.")
    }
    try OptionRanges.check(duration: duration)
    try OptionRanges.check(tail: tail)
  }

  /// The first option that is given; nil for none.
  var usedOption: String? {
    if input != nil { return "-i" }
    if midi != nil { return "--midi" }
    if duration != nil { return "--duration" }
    if tail != nil { return "--tail" }
    return skipPreflight ? "--skip-preflight" : nil
  }

  /// The settings of a side.
  var settings: SideRendering.Settings {
    .init(input: input, arguments: arguments, runsPreflight: !skipPreflight)
  }

  /// The arguments for `outboard render`.
  var arguments: [String] {
    var words: [String] = []
    if let midi { words += ["--midi", midi] }
    if let duration { words += ["--duration", "\(duration)"] }
    if let tail { words += ["--tail", "\(tail)"] }
    return skipPreflight ? words + ["--skip-preflight"] : words
  }
}
