// PlayCommand.swift: the command `play`. SPDX-License-Identifier: MIT

import FilePlayback
import HostModel
import Manifests
import Session

/// Controls players.
struct PlayCommand: HostCommand {
  let play: Command.Play

  func prepare(in host: Host) throws -> PlayerCommand? {
    guard let action = play.action else { return nil }
    let seconds = action.text.flatMap(DurationText.seconds)
    if let text = action.text, seconds == nil { throw CommandError.position(text) }
    return PlayerCommand(action.word, seconds: seconds)
  }

  func apply(_ order: PlayerCommand?, in host: Host) throws -> Reply {
    Reply(notes: try host.session.play(order, node: play.node))
  }
}
