// ClockArguments.swift: clocks on the command line of `run`. SPDX-License-Identifier: MIT

import ArgumentParser
import RigSchema

/// The devices that share the tempo; they override the rig.
struct ClockArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Clock to follow: MIDI device, link or none.", valueName: "device"))
  var clock: String?
  @Option(
    help: ArgumentHelp("Send MIDI clock to this device, or none; repeatable.", valueName: "device"))
  var clockOut: [String] = []

  func apply(to rig: inout RigDescription) {
    if let clock { rig.clock.input = clock.lowercased() == "none" ? nil : clock }
    guard !clockOut.isEmpty else { return }
    rig.clock.outputs = clockOut.map { $0.lowercased() } == ["none"] ? [] : clockOut
  }
}
