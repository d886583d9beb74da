// FindPeriodCommand.swift: `outboard find-period`. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import AudioDriver
import Console
import DeviceSettings
import ErrorModel
import RigSchema
import Session

/// Finds the smallest stable period of a device.
struct FindPeriodCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find-period",
    abstract: "Find the smallest stable period of a device.",
    discussion: """
      outboard find-period hw:1,0 --duration 30 --save

      With --save, `outboard run` uses the result for this card and rate, unless the rig or an \
      option sets the period.
      """)

  @Argument(help: ArgumentHelp("Device, for both directions.", valueName: "device"))
  var device: String?
  @OptionGroup var devices: MeasurementOptions
  @Option(help: ArgumentHelp("First period to try.", valueName: "frames"))
  var start = 1_024
  @Option(help: ArgumentHelp("Time to test each setting, e.g. 30s.", valueName: "time"))
  var duration = TimeOption(seconds: 10)
  @Option(help: ArgumentHelp("Simulated CPU load.", valueName: "percent"))
  var load = 50.0
  @Option(
    help: ArgumentHelp(
      "Extra latency above the smallest stable one.", valueName: "percent"))
  var margin = 0.0
  @Flag(help: "Save the result for this device.")
  var save = false
  @Flag(help: "Clear the saved result for this device.")
  var clear = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard device != nil || devices.input != nil || devices.output != nil else {
      throw ValidationError("Specify the device, e.g. hw:0; see `outboard devices`.")
    }
    if let device, DeviceSpecifier(device) == nil {
      throw ValidationError(DeviceSpecifier.rule(device))
    }
    if save, clear { throw ValidationError("Use either --save or --clear, not both.") }
    try OptionRanges.check("start", start, 1 ... 65_536)
    try OptionRanges.check("load", load, 0 ... 95, "percent")
    try OptionRanges.check("margin", margin, 0 ... 1_000, "percent")
    try OptionRanges.check(duration: duration)
  }

  func run() throws {
    let request = devices.request(defaultDevice: device ?? "none")
    if clear { return try removeEntry(request) }
    let stopper = TerminationSignals()
    stopper.begin()
    let view = FindPeriodView(isNonInteractive: json, seconds: duration.seconds, loadPercent: load)
    var search = PeriodSearch()
    var stream: StreamDescription?
    try search.run(from: start) { requested, isNew in
      var request = request
      request.periodFrames = requested.periodFrames
      request.periodCount = requested.periodCount
      return try attempt(request, requested, isNew, stopper, view, &stream)
    }
    try finish(search, request, stream, view)
  }

  /// Opens the device with a setting and runs it.
  private func attempt(
    _ request: StreamRequest, _ requested: PeriodSetting, _ isNew: (PeriodSetting) -> Bool,
    _ stopper: TerminationSignals, _ view: FindPeriodView, _ stream: inout StreamDescription?
  ) throws -> PeriodSearch.Attempt {
    if stopper.isRaised { return .interrupted }
    var settings = PeriodMeasurement.Settings()
    settings.seconds = duration.seconds
    settings.load = load / 100
    let measurement: PeriodMeasurement
    do {
      measurement = try PeriodMeasurement(
        try DriverRegistry.devices.open(request), settings)
    } catch let error as any DriverOpenError {
      // The first setting shows whether the device can be opened. Later settings show what it supports.
      guard stream != nil, error.isAboutPeriod else { throw error }
      return .repeated
    }
    if stream == nil { view.printHeader(measurement.stream) }
    // Use the actual rate: the device can choose another rate when it is opened.
    let opened = measurement.stream
    stream = opened
    guard isNew(measurement.setting) else { return .repeated }
    view.begin(measurement.setting)
    guard let trial = try measurement.run(pause: stopper.shouldContinue) else {
      return .interrupted
    }
    view.show(trial, opened)
    return .measured(trial)
  }

  // MARK: - The result

  private func finish(
    _ search: PeriodSearch, _ request: StreamRequest, _ stream: StreamDescription?,
    _ view: FindPeriodView
  ) throws {
    let best = search.isComplete ? search.best(marginPercent: margin) : nil
    var storedIn: String?
    if save, let best, let stream {
      storedIn = try storeEntry(best.setting, request, Int(stream.sampleRateHz))
    }
    if json {
      JSONOutput.print(FindPeriodReport(search, best, stream, storedIn: storedIn))
    } else {
      view.finish(search, best, stream, storedIn: storedIn)
    }
    if best == nil { throw ExitCode(Failure.Status.failure.rawValue) }
  }

  /// The file that holds the saved result.
  private func storeEntry(
    _ setting: PeriodSetting, _ request: StreamRequest, _ rateHz: Int
  ) throws -> String {
    guard
      let key = StoredPeriods.key(
        outputs: request.outputs, inputs: request.inputs, sampleRateHz: rateHz),
      let store = DeviceStore.defaultStore
    else { throw StoredPeriodError.noHome }
    try store.store(
      StoredDevice(
        key: key, periodFrames: setting.periodFrames, periodCount: setting.periodCount))
    return store.file
  }

  private func removeEntry(_ request: StreamRequest) throws {
    guard let store = DeviceStore.defaultStore else { throw StoredPeriodError.noHome }
    guard
      let key = StoredPeriods.key(
        outputs: request.outputs, inputs: request.inputs, sampleRateHz: request.sampleRateHz)
    else { throw ALSADriverError.noDeviceNamed }
    guard try store.remove(key) else {
      throw StoredPeriodError.nothingStored(
        card: key.card, rateHz: key.sampleRateHz, file: store.file)
    }
    if json { return JSONOutput.print(["cleared": key.card]) }
    Terminal.error.writeLine(
      "\(key.card) at \(key.sampleRateHz) Hz was cleared from \(store.file).")
  }
}

/// Why a result could not be stored or cleared.
enum StoredPeriodError {
  /// The environment names no directory for settings.
  case noHome
  /// No such entry.
  case nothingStored(card: String, rateHz: Int, file: String)

  var description: String {
    switch self {
    case .noHome:
      "Cannot save the setting: neither XDG_CONFIG_HOME nor HOME is set."
    case .nothingStored(let card, let rateHz, let file):
      "No saved setting for \(card) at \(rateHz) Hz in \(file)."
    }
  }
}

extension StoredPeriodError: HostError {
  /// A failed search is a failure, not a wrong request.
  var kind: ErrorKind { .failure }
}
