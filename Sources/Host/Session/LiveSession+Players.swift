// LiveSession+Players.swift: players of a running rig, and what they are told. SPDX-License-Identifier: MIT

package import FilePlayback
import PluginModel
import Rig

extension LiveSession {
  /// Tells a player something, or all of them. [main]
  ///
  /// - Parameters:
  ///   - order: what they are told; nil to ask how they stand.
  ///   - name: the player's name in the rig, in any letter case; nil for all.
  /// - Returns: how they stand, one sentence each, where that was asked.
  /// - Throws: where there is no such player, or what the only one has against it.
  package func play(_ order: PlayerCommand?, node name: String?) throws -> [String] {
    let players = try choose(name, among: players, what: PlayerSettings.word)
    guard let order else { return players.map { "\($0.name) \($0.part.progress.sentence)." } }
    var refusals: [any Error] = []
    for (name, playback) in players {
      do {
        try playback.order(order)
      } catch {
        refusals.append(NodeCommandError(node: name, reason: "\(error)"))
      }
    }
    if refusals.count == players.count, let first = refusals.first { throw first }
    return refusals.map { "\($0)" }
  }

  /// What happened to players since the last call, one sentence each. [main]
  func takePlayerNotices() -> [String] { players.flatMap { $0.part.takeNotices() } }

  private var players: [(name: String, part: Playback)] {
    graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.abilities[Playback.self].map { (member.name, $0) }
      }
    }
  }
}

extension PlayerStatus {
  /// As a part of a sentence.
  fileprivate var sentence: String {
    let length = fileSeconds.map { " of \(DurationText.text($0))" } ?? ""
    let place = "at \(DurationText.text(seconds))\(length) in \(file)"
    return switch state {
    case .playing: "plays \(place)"
    case .silent: "is silent \(place)"
    case .ended: "has ended with \(file)"
    }
  }
}
