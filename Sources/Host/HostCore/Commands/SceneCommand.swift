// SceneCommand.swift: the command `scene`. SPDX-License-Identifier: MIT

import HostModel
import RigSchema
import Session

/// Recalls, stores or lists scenes.
struct SceneCommand: HostCommand {
  let scene: Command.Scene

  func prepare(in host: Host) throws {
    if case .recall(_, let over?) = scene, !(0 ... MorphTime.longestSeconds ~= over) {
      throw CommandError.morphTime(over)
    }
  }

  func apply(_: Void, in host: Host) throws -> Reply {
    switch scene {
    case .list:
      Reply(
        .scenes(
          host.session.scenes.map {
            SceneInfo(name: $0.name, over: $0.overSeconds, current: $0.isCurrent)
          }))
    case .store(let name): Reply(notes: try host.session.storeScene(name))
    case .step(let step): Reply(notes: try host.session.recallScene(step: step))
    case .recall(let name, let over): Reply(notes: try host.session.recall(name, over: over))
    }
  }
}
