// CompareCommand.swift: `outboard compare`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Console
import Metering

/// Compares two files, plugins or rigs.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two files, plugins or rigs.",
    discussion: """
      outboard compare before.wav after.wav --plot difference.svg
      outboard compare "gain gain=3" "amplifier drive=2" -i voice.wav
      outboard compare expected.wav "./fuzz.c drive=8" -i riff.wav --tolerance -120dB

      The difference is the second side minus the first one, after the second one was aligned. A side \
      is a file, a plugin with values, several plugins in one word, or a rig. Plugins and rigs render \
      the input, or a test signal if there is none.
      """)

  @Argument(
    help: ArgumentHelp(
      "Two files, plugins with values, or rigs.", valueName: "side"))
  var words: [String] = []
  @OptionGroup var rendering: SideArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Delay of the second side: auto, or frames.", valueName: "frames"))
  var delay = DelayOption.automatic
  @Flag(help: "Remove the level difference before subtracting.")
  var matchLevel = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Fail above this peak difference in dBFS, or exact.", valueName: "level"))
  var tolerance: Tolerance?
  @Flag(help: "Convert the second side to the first one's rate.")
  var resample = false
  @Option(help: ArgumentHelp("Write a plot to this .png or .svg.", valueName: "file"))
  var plot: String?
  @Flag(help: "Overwrite existing files.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard !words.contains("") else {
      throw ValidationError("The name of a file, plugin or rig is empty.")
    }
    guard plot?.isEmpty != true else {
      throw ValidationError("The name of the plot file is empty.")
    }
  }

  func run() throws {
    let interruption = TerminationSignals(isBlocked: { StreamWaitNotice.isWaiting })
    StreamWaitNotice.begin()
    let sides = try ComparisonSides(words, rendering)
    let picture = try plot.map { try PlotFile($0, force) }
    interruption.begin()
    var line = StatusLine(.error)
    defer { line.clear() }
    let inputs = try sides.inputs(interruption) { show($0, &line) }
    let (first, second) = (inputs[0], try matched(inputs[1], to: inputs[0]))
    let result = try FileComparison.of(first, second, settings) { fraction in
      show("comparing" + (fraction.map { "   " + NumberFormat.percent(min(1, $0)) } ?? ""), &line)
      return !interruption.isRaised
    }
    line.clear()
    guard let result else { throw AnalysisInterrupted() }
    if let picture { try picture.write(result) }
    let report = ComparisonReport(result, tolerance)
    for note in report.notes { Terminal.error.writeLine("outboard: \(note)") }
    if json {
      JSONOutput.print(ComparisonJSON(result, tolerance))
    } else {
      for text in report.lines { Terminal.output.writeLine(text) }
    }
    try StandardStreams.checkOutput()
    guard tolerance?.accepts(result) != false else {
      throw ExitCode(Failure.Status.failure.rawValue)
    }
  }

  private var settings: ComparisonSettings {
    var settings = ComparisonSettings()
    settings.delay = delay.setting
    settings.matchesLevel = matchLevel
    settings.threshold = tolerance?.decibels
    settings.isDrawn = plot != nil
    return settings
  }

  private func show(_ text: String, _ line: inout StatusLine) {
    if !json { line.show([text]) }
  }

  /// Converts the second side if that was requested, and refuses sides that cannot be subtracted.
  private func matched(
    _ second: ComparisonInput, to first: ComparisonInput
  ) throws -> ComparisonInput {
    guard first.channelCount == second.channelCount else {
      throw UsageError(
        "\(first.name) has \(Self.channels(first.channelCount)) and \(second.name) has"
          + " \(Self.channels(second.channelCount)). Compare files with the same number of channels."
      )
    }
    guard first.sampleRateHz != second.sampleRateHz else { return second }
    guard resample else {
      throw UsageError(
        "\(first.name) has \(first.sampleRateHz) Hz and \(second.name) has \(second.sampleRateHz) Hz."
          + " Add --resample to convert the second one.")
    }
    return try second.resampled(to: first.sampleRateHz)
  }

  private static func channels(_ count: Int) -> String {
    count == 1 ? "1 channel" : "\(count) channels"
  }
}
