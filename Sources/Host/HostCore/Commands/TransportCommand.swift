// TransportCommand.swift: the command `transport`. SPDX-License-Identifier: MIT

import HostModel
import MIDIClock
import PluginModel
import Session

/// Reports or changes musical time.
struct TransportCommand: HostCommand {
  let transport: Command.Transport

  func prepare(in host: Host) throws {
    if let tempo = transport.tempo, !(TransportSettings.temposBPM ~= tempo) {
      throw CommandError.tempo(tempo)
    }
    guard transport != Command.Transport(), let clock = host.session.transportStatus.clock,
      clock.peers == nil, clock.state == .locking || clock.state == .locked
    else { return }
    throw CommandError.followsClock(device: clock.device)
  }

  func apply(_: Void, in host: Host) -> Reply {
    if let tempo = transport.tempo { host.session.setTempo(tempo) }
    switch transport.action {
    case .start: host.session.setRolling(true)
    case .stop: host.session.setRolling(false)
    case .rewind: host.session.rewind()
    case .tap, nil: break
    }
    let info = TransportInfo(host.session.transportStatus)
    var notes: [String] = []
    if transport.action == .tap && transport.tempo == nil {
      notes.append("Tap again on the next beat.")
    }
    if transport.action == .start, !info.rolling {
      notes.append("The transport starts with the next bar of Ableton Link.")
    }
    return Reply(notes: notes, .transport(info))
  }
}
