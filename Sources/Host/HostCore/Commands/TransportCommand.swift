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
      clock.state == .locking || clock.state == .locked
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
    let isFirstTap = transport.action == .tap && transport.tempo == nil
    return Reply(
      notes: isFirstTap ? ["Tap again on the next beat."] : [],
      .transport(TransportInfo(host.session.transportStatus)))
  }
}
