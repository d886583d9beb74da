// SequencerControllers.swift: the MIDI devices whose controls are mapped. SPDX-License-Identifier: MIT

import ALSASequencer
import ErrorModel
import HostCore

/// The ALSA sequencer as the link to the controllers of a session.
final class SequencerControllers: ControllerLink {
  private let sequencer: ALSASequencer
  private let outbox = SequencerOutbox()

  private init(_ request: SequencerRequest) throws(SequencerError) {
    sequencer = try ALSASequencer(request)
  }

  deinit { sequencer.stop() }

  /// Connects the requested devices; missing ones are connected when they appear. [main]
  static func open(
    _ request: ControllerRequest, _ receive: @escaping @Sendable (ControllerMessage) -> Void
  ) throws -> any ControllerLink {
    let names = request.devices.sorted().map(EndpointName.init)
    var settings = SequencerRequest()
    settings.clientName = "Outboard controls"
    settings.input = request.includesHardware ? .hardwareAnd(names) : .named(names)
    settings.output = EndpointSelection.none
    settings.waitsForDevices = true
    settings.needsFineTimer = false
    let link = try SequencerControllers(settings)
    try link.sequencer.start(outbox: link.outbox) { message in
      receive(
        ControllerMessage(time: message.time, device: message.source, bytes: message.bytes))
    }
    return link
  }

  func send(_ bytes: [UInt8], to device: String) { outbox.send(bytes, to: device) }

  func takeNotices() -> [HostNotice] { sequencer.takeNotices() }

  func stop() { sequencer.stop() }
}
