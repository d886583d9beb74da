// LatencyCommand.swift: `outboard latency`. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import Builtins
import Console
import Session

/// Measures the round-trip latency through a cable.
struct LatencyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Measure round-trip latency through a loopback cable.",
    discussion: """
      Connect an output of the card to one of its inputs, turn loudspeakers off, and run

      outboard latency --in hw:1,0 --out hw:1,0 --period 128 --periods 2
      """)

  @OptionGroup var devices: MeasurementOptions
  @Option(help: ArgumentHelp("Period size in frames.", valueName: "frames"))
  var period: Int?
  @Option(help: ArgumentHelp("Number of periods in the device buffer.", valueName: "count"))
  var periods: Int?
  // A level starts with a minus sign, which would otherwise be read as an option.
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Test level in dBFS.", valueName: "dB")
  )
  var level = -12.0
  @Option(help: ArgumentHelp("Number of measurements.", valueName: "count"))
  var rounds = 3
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try OptionRanges.check("period", period, 1 ... 1_048_576)
    try OptionRanges.check("periods", periods, 2 ... 1_024)
    try OptionRanges.check("rounds", rounds, 2 ... 1_000)
    try OptionRanges.check("level", level, -90 ... 0, "dBFS")
  }

  func run() throws {
    var request = devices.request(defaultDevice: "default")
    request.periodFrames = period
    request.periodCount = periods
    // Block the signals before the driver creates its thread.
    let stopper = TerminationSignals()
    stopper.begin()
    let driver = try DriverRegistry.devices.open(request)
    let measurement = try LatencyMeasurement(driver, settings(request))
    let view = LatencyView(measurement.stream, isNonInteractive: json)
    view.printHeader()
    let outcome = try measurement.run(pause: stopper.shouldContinue, report: view.show)
    if json {
      JSONOutput.print(LatencyReport(outcome, measurement.stream))
    } else {
      view.finish(outcome, warnings: driver.warnings)
    }
  }

  private func settings(_ request: StreamRequest) -> LatencyMeasurement.Settings {
    var settings = LatencyMeasurement.Settings()
    settings.levelDecibels = level
    settings.roundCount = rounds
    settings.outputNumber = (request.outputs.first?.channels?.first ?? 0) + 1
    settings.inputNumber = (request.inputs.first?.channels?.first ?? 0) + 1
    return settings
  }
}

extension TerminationSignals {
  /// Waits for `seconds` and returns whether nobody requested the end. [main]
  func shouldContinue(seconds: Double) -> Bool {
    wait(seconds: seconds)
    return !isRaised
  }
}
