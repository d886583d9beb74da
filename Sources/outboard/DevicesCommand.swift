// DevicesCommand.swift: `outboard devices`. SPDX-License-Identifier: MIT

import ALSADriver
import ALSASequencer
import ArgumentParser
import Console

/// Lists sound cards and MIDI devices.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List audio and MIDI devices.")

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let devices = ALSADevices.all()
    guard !devices.isEmpty else {
      throw ALSADevices.areDenied
        ? ALSADriverError.notPermitted(device: "the sound cards") : .noCard
    }
    // Audio works without MIDI, so a missing sequencer is not an error here.
    let midi = Result { try SequencerDevices.all() }
    if json {
      let endpoints = (try? midi.get()) ?? []
      JSONOutput.print(
        Listing(cards: devices.map(Report.init), midi: endpoints.map(MIDIDeviceReport.init)))
      return
    }
    for device in devices { report(device) }
    if let server = ALSADevices.defaultServer {
      Terminal.output.writeLine("The device `default` uses \(server).")
    }
    switch midi {
    case .success(let endpoints): MIDIDeviceReport.report(endpoints)
    case .failure(let error): Terminal.output.writeLine("MIDI  \(error)")
    }
  }

  private func report(_ device: ALSADevice) {
    let mark = device.isDefault ? " (default)" : ""
    Terminal.output.writeLine(
      "\(device.shortName)  \(device.cardName), \(device.deviceName)\(mark)")
    Terminal.output.writeLine("        \(device.name)")
    for (word, side) in [("in ", device.input), ("out", device.output)] {
      if let side { Terminal.output.writeLine("        \(word)  \(describe(side))") }
    }
  }

  private func describe(_ side: ALSADevice.Capabilities) -> String {
    if side.isBusy {
      return side.holders.isEmpty
        ? "busy" : "in use by \(side.holders.joined(separator: " and "))"
    }
    if let refusal = side.refusal { return refusal }
    let minimum = side.channels.lowerBound
    let maximum = side.channels.upperBound
    let channels = minimum == maximum ? "\(minimum)" : "\(minimum) to \(maximum)"
    // Big-endian variants are hidden if the little-endian format exists.
    let formats = side.formats.filter { format in
      !side.formats.contains { format == $0 + "_BE" }
    }
    return "\(channels) \(maximum == 1 ? "channel" : "channels"), \(side.rates) Hz,"
      + " \(formats.joined(separator: " "))"
  }

  private struct Listing: Encodable {
    let cards: [Report]
    let midi: [MIDIDeviceReport]
  }

  private struct Report: Encodable {
    struct Side: Encodable {
      let busy: Bool
      let holders: [String]
      let reason: String?
      let rates: String
      let formats: [String]
      let minimumChannels: Int
      let maximumChannels: Int
      let minimumPeriodFrames: Int
      let maximumPeriodFrames: Int

      init(_ side: ALSADevice.Capabilities) {
        busy = side.isBusy
        holders = side.holders
        reason = side.refusal
        rates = side.rates
        formats = side.formats
        minimumChannels = side.channels.lowerBound
        maximumChannels = side.channels.upperBound
        minimumPeriodFrames = side.periodFrames.lowerBound
        maximumPeriodFrames = side.periodFrames.upperBound
      }
    }
    let name: String
    let shortName: String
    let cardName: String
    let deviceName: String
    let `default`: Bool
    let input: Side?
    let output: Side?

    init(_ device: ALSADevice) {
      name = device.name
      shortName = device.shortName
      cardName = device.cardName
      deviceName = device.deviceName
      `default` = device.isDefault
      input = device.input.map(Side.init)
      output = device.output.map(Side.init)
    }
  }
}
