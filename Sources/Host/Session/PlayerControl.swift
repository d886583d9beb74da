// PlayerControl.swift: the players of a session. SPDX-License-Identifier: MIT

import ErrorModel
import FilePlayback
import Manifests
import PluginModel
import RigPlanning

/// Sends commands to the players of the active rig.
struct PlayerControl {
  let active: ActiveRig

  /// Sends a command to one player or to all.
  ///
  /// - Parameters:
  ///   - order: the command; nil to read the status.
  ///   - name: the player's name in the rig, in any letter case; nil for all.
  /// - Returns: a status message for each player if `order` is nil.
  /// - Throws: an error if no such player exists, or the error of the only one.
  func perform(_ order: PlayerCommand?, node name: String?) throws -> [String] {
    let players = try NodeChoice.choose(name, among: players, what: PlayerSettings.word)
    guard let order else { return players.map { "\($0.name) \($0.part.progress.message)." } }
    var refusals: [any Error] = []
    for (name, playback) in players {
      do {
        try playback.perform(order)
      } catch {
        refusals.append(NodeCommandError(node: name, reason: "\(error)"))
      }
    }
    if refusals.count == players.count, let first = refusals.first { throw first }
    return refusals.map { "\($0)" }
  }

  /// Returns the notices of players since the last call.
  func takeNotices() -> [HostNotice] { players.flatMap { $0.part.takeNotices() } }

  private var players: [(name: String, part: Playback)] {
    active.graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.capabilities[Playback.self].map { (member.name, $0) }
      }
    }
  }
}

extension PlayerStatus {
  /// The status as a part of a message.
  fileprivate var message: String {
    let length = fileSeconds.map { " of \(DurationText.text($0))" } ?? ""
    let position = "at \(DurationText.text(seconds))\(length) in \(file)"
    return switch state {
    case .playing: "plays \(position)"
    case .stopped: "is silent \(position)"
    case .ended: "has ended with \(file)"
    }
  }
}
