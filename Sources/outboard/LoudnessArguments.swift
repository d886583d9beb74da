// LoudnessArguments.swift: the loudness that `render` sets files to. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Metering

/// Options for the loudness of the output.
struct LoudnessArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Loudness of the output: LUFS or a preset.", valueName: "lufs"))
  var loudness: LoudnessOption?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Highest true peak for --loudness, in dBTP.", valueName: "dbtp"))
  var truePeak: DecibelOption?
  @Flag(help: "Use one gain for all files with --loudness.")
  var album = false

  func validate() throws {
    let option = truePeak != nil ? "--true-peak" : album ? "--album" : nil
    if loudness == nil, let option {
      throw ValidationError("\(option) needs --loudness, for example --loudness -16.")
    }
    if let loudness, loudness.target == nil {
      let names = LoudnessTarget.presets.map(\.name).joined(separator: ", ")
      throw ValidationError(
        "--loudness \(loudness.argument) is not a loudness. Use LUFS, for example -16, or one of \(names)."
      )
    }
    if let level = loudness?.target?.loudness, !(LoudnessTarget.loudnessRange ~= level) {
      throw ValidationError(
        "--loudness \(NumberFormat.short(level)) is out of range (-60 to 0 LUFS).")
    }
    if let level = truePeak?.decibels, !(LoudnessTarget.truePeakRange ~= level) {
      throw ValidationError(
        "--true-peak \(NumberFormat.short(level)) is out of range (-20 to 0 dBTP).")
    }
  }

  /// The target; nil if none is requested.
  var target: LoudnessTarget? {
    loudness?.target.map { target in
      LoudnessTarget(
        loudness: target.loudness, truePeak: truePeak?.decibels ?? target.truePeak)
    }
  }
}

/// A number of LUFS, or the name of a preset.
struct LoudnessOption: ExpressibleByArgument {
  let argument: String
  /// The target; nil if the argument names none.
  let target: LoudnessTarget?

  init(argument: String) {
    self.argument = argument
    target =
      LoudnessTarget(preset: argument)
      ?? DecibelOption(argument: argument, units: ["LUFS", "LKFS"]).map {
        LoudnessTarget(loudness: $0.decibels)
      }
  }

  static var allValueStrings: [String] { LoudnessTarget.presets.map(\.name) }
}

/// A level with or without a unit.
struct DecibelOption: ExpressibleByArgument {
  let decibels: Double

  init?(argument: String) { self.init(argument: argument, units: ["dBTP", "dBFS", "dB"]) }

  init?(argument: String, units: [String]) {
    let unit = units.first { argument.lowercased().hasSuffix($0.lowercased()) } ?? ""
    let number = argument.dropLast(unit.count).filter { $0 != " " }
    guard let level = Double(number), level.isFinite else { return nil }
    decibels = level
  }
}
