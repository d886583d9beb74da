// FindPeriodCommand.swift: `outboard tune`. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import AudioDriver
import Console
import Rig
import Session

/// Searches the smallest period that a device holds.
struct FindPeriodCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Search the smallest period that a sound card holds under load.",
    discussion: """
      outboard tune hw:1,0 --seconds 30 --store

      With --store, `run` takes what was found for that card and rate, where neither the rig nor its \
      own flags say otherwise.
      """)

  @Argument(help: ArgumentHelp("The device, for both directions.", valueName: "device"))
  var device: String?
  @OptionGroup var devices: MeasurementOptions
  @Option(help: ArgumentHelp("The period to begin with.", valueName: "frames"))
  var from = 1_024
  @Option(help: ArgumentHelp("How long each setting has to hold.", valueName: "s"))
  var seconds = 10.0
  @Option(help: ArgumentHelp("Share of each period that rendering takes.", valueName: "per cent"))
  var load = 50.0
  @Option(
    help: ArgumentHelp(
      "Choose so much more latency than the smallest that held.", valueName: "per cent"))
  var margin = 0.0
  @Flag(help: "Store the result for this card and rate.")
  var store = false
  @Flag(help: "Remove what is stored for this card and rate; nothing is measured.")
  var forget = false
  @Flag(help: "Print the result as JSON.")
  var json = false

  func validate() throws {
    guard device != nil || devices.input != nil || devices.output != nil else {
      throw ValidationError("Name the device to tune, for instance hw:0; see `outboard devices`.")
    }
    if let device, DeviceSpecifier(device) == nil {
      throw ValidationError(DeviceSpecifier.rule(device))
    }
    if store, forget { throw ValidationError("Give either --store or --forget, not both.") }
    try OptionRanges.check("from", from, 1 ... 65_536)
    try OptionRanges.check("load", load, 0 ... 95, "per cent")
    try OptionRanges.check("margin", margin, 0 ... 1_000, "per cent")
    try OptionRanges.check(seconds: seconds)
  }

  func run() throws {
    let request = devices.request(usual: device ?? "none")
    if forget { return try forgetEntry(request) }
    let stopper = TerminationSignals()
    stopper.begin()
    let view = FindPeriodView(isQuiet: json, seconds: seconds, loadPercent: load)
    var search = PeriodSearch()
    var stream: StreamDescription?
    try search.run(from: from) { asked, isNew in
      var request = request
      request.periodFrames = asked.periodFrames
      request.periodCount = asked.periodCount
      return try attempt(request, asked, isNew, stopper, view, &stream)
    }
    try finish(search, request, stream, view)
  }

  /// Opens the device with a setting, and runs it.
  private func attempt(
    _ request: StreamRequest, _ asked: PeriodSetting, _ isNew: (PeriodSetting) -> Bool,
    _ stopper: TerminationSignals, _ view: FindPeriodView, _ stream: inout StreamDescription?
  ) throws -> PeriodSearch.Attempt {
    if stopper.isRaised { return .interrupted }
    var settings = PeriodMeasurement.Settings()
    settings.seconds = seconds
    settings.load = load / 100
    let measurement: PeriodMeasurement
    do {
      measurement = try PeriodMeasurement(
        try DriverRegistry.devices.open(request), settings)
    } catch let error as any DriverOpenError {
      // The first setting tells whether the device can be had at all; later ones what it offers.
      guard stream != nil, error.isAboutPeriod else { throw error }
      return .repeated
    }
    if stream == nil { view.introduce(measurement.stream) }
    // As it was opened: a driver may find out on the way that the device's rate is another.
    let opened = measurement.stream
    stream = opened
    guard isNew(measurement.setting) else { return .repeated }
    view.begin(measurement.setting)
    guard let trial = try measurement.run(pause: stopper.goesOn) else { return .interrupted }
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
    if store, let best, let stream {
      storedIn = try storeEntry(best.setting, request, Int(stream.sampleRateHz))
    }
    if json {
      JSONOutput.print(FindPeriodReport(search, best, stream, storedIn: storedIn))
    } else {
      view.finish(search, best, stream, storedIn: storedIn)
    }
    if best == nil { throw ExitCode(Failure.Status.workFailed.rawValue) }
  }

  /// The file that it was stored in.
  private func storeEntry(
    _ setting: PeriodSetting, _ request: StreamRequest, _ rateHz: Int
  ) throws -> String {
    guard
      let key = StoredPeriods.key(
        outputs: request.outputs, inputs: request.inputs, sampleRateHz: rateHz),
      let store = DeviceStore.usual
    else { throw StoredPeriodError.noHome }
    try store.store(
      StoredDevice(
        key: key, periodFrames: setting.periodFrames, periodCount: setting.periodCount))
    return store.file
  }

  private func forgetEntry(_ request: StreamRequest) throws {
    guard let store = DeviceStore.usual else { throw StoredPeriodError.noHome }
    guard
      let key = StoredPeriods.key(
        outputs: request.outputs, inputs: request.inputs, sampleRateHz: request.sampleRateHz)
    else { throw ALSADriverError.noDeviceNamed }
    guard try store.forget(key) else {
      throw StoredPeriodError.nothingStored(
        card: key.card, rateHz: key.sampleRateHz, file: store.file)
    }
    if json { return JSONOutput.print(["forgotten": key.card]) }
    Terminal.error.writeLine("\(key.card) at \(key.sampleRateHz) Hz is forgotten in \(store.file).")
  }
}

/// Why a result could not be stored, or forgotten.
enum StoredPeriodError: Error, CustomStringConvertible {
  /// The environment names no folder for settings.
  case noHome
  /// There is no such entry.
  case nothingStored(card: String, rateHz: Int, file: String)

  var description: String {
    switch self {
    case .noHome:
      "There is nowhere to store a setting: neither XDG_CONFIG_HOME nor HOME is set."
    case .nothingStored(let card, let rateHz, let file):
      "Nothing is stored for \(card) at \(rateHz) Hz in \(file)."
    }
  }
}
