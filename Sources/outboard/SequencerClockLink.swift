// SequencerClockLink.swift: a session's clocks through the kernel's sequencer. SPDX-License-Identifier: MIT

import ALSASequencer
import CRealtime
import ErrorModel
import Installation
import MIDIClock
import PluginModel
import RenderGraph
import RigSchema
import Session

/// The ALSA sequencer as the clock link of a session.
final class SequencerClockLink: ClockLink {
  private let sequencer: ALSASequencer
  private let input: ClockInput?
  private let sendsClock: Bool

  private init(_ rig: RigDescription) throws(SequencerError) {
    var request = SequencerRequest()
    request.clientName = "Outboard clock"
    if let device = rig.clock.input { request.input = .named([EndpointName(device)]) }
    request.output = try EndpointSelection(rig.clock.outputs)
    request.waitsForDevices = true
    sequencer = try ALSASequencer(request)
    sendsClock = request.output != nil
    let beatsPerQuarter = Double(rig.transport.beatUnit) / 4
    input = rig.clock.input.map {
      ClockInput(
        device: $0, quartersPerMinute: rig.transport.beatsPerMinute / beatsPerQuarter)
    }
  }

  /// Creates the link for a rig, with Ableton Link if the rig follows it; nil if the rig uses no clock.
  static func open(_ rig: RigDescription) throws -> (any ClockLink)? {
    guard rig.clock.followsLink else {
      return rig.clock == RigClock() ? nil : try SequencerClockLink(rig)
    }
    var rest = rig
    rest.clock.input = nil
    return LinkClock(
      program: InstallPaths.linkHelper ?? "outboard-link", rig.transport, output: try open(rest))
  }

  func start(_ engine: Engine) throws {
    engine.follow(input?.published)
    try unsafe sequencer.start(output: sendsClock ? engine.sendClock() : nil) { [input] message in
      input?.receive(message.bytes, from: message.source, at: message.time)
    }
  }

  func stop() { sequencer.stop() }

  var status: ClockStatus? { input?.status }

  func takeNotices() -> [HostNotice] {
    input?.poll(at: crealtime_nanoseconds())
    return sequencer.takeNotices() + (input?.takeNotices() ?? [])
  }
}
