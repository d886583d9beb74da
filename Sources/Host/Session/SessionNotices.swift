// SessionNotices.swift: the notices of a session, except faults. SPDX-License-Identifier: MIT

import ErrorModel

// MARK: - Reloads

extension HostNotice {
  /// A plugin has changed, and its nodes run the new version.
  ///
  /// `source` is the path of a source module, or the name of another plugin.
  static func reloaded(_ source: String, milliseconds: Int) -> HostNotice {
    HostNotice(
      "reloaded", "Reloaded {source} in {milliseconds} ms.", source, "\(milliseconds)"
    )
    .asInformation
  }

  /// A plugin has changed, but the previous version stays active.
  static func notReloaded(_ source: String, _ error: any Error) -> HostNotice {
    HostNotice("notReloaded", "{source} was not reloaded. {error}", source, error: error)
  }

  /// The system has no free watch for the files of a plugin.
  static func notWatched(_ source: String) -> HostNotice {
    HostNotice(
      "notWatched",
      "{source} cannot be watched: inotify limit reached (fs.inotify.max_user_instances). Restart the session after changes.",
      source)
  }

  /// The preflight of a new version takes long.
  static func sourceTested(_ source: String) -> HostNotice {
    HostNotice(
      "sourceTested", "{source} is being tested. The previous version stays active.", source
    )
    .asInformation
  }

  /// After a failure, the files equal those of the active version.
  static func sourceUnchanged(_ source: String) -> HostNotice {
    HostNotice("sourceUnchanged", "{source} equals the active version again.", source).asInformation
  }

  /// No node uses a source module any more.
  static func sourceUnused(_ source: String) -> HostNotice {
    HostNotice("sourceUnused", "{source} is no longer part of the rig.", source).asInformation
  }
}

// MARK: - Scenes and sample rates

extension HostNotice {
  /// A MIDI program change recalls a scene.
  static func sceneRecalled(_ scene: String, program: Int) -> HostNotice {
    HostNotice(
      "sceneRecalled", "Program {program} recalls the scene {scene}.", "\(program)", scene
    )
    .asInformation
  }

  /// The scene of a MIDI program change cannot be recalled.
  static func sceneNotRecalled(_ scene: String, _ error: any Error) -> HostNotice {
    HostNotice("sceneNotRecalled", "Cannot recall the scene {scene}. {error}", scene, error: error)
  }

  /// A scene change has failed.
  static func sceneRecalledInPart(_ error: any Error) -> HostNotice {
    HostNotice(
      "sceneRecalledInPart", "The scene was recalled only in part. {error}", error: error)
  }

  /// The rig follows the devices to another sample rate.
  static func rateFollowed(_ hertz: Double) -> HostNotice {
    HostNotice(
      "rateFollowed",
      "The devices run at {sampleRateHz} Hz now. The rig was re-created for this rate.",
      "\(Int(hertz))"
    )
    .asInformation
  }

  /// The rig cannot follow the devices.
  static func rateNotFollowed(_ hertz: Double, _ error: any Error) -> HostNotice {
    HostNotice(
      "rateNotFollowed",
      "The devices run at {sampleRateHz} Hz, which the rig cannot use ({error}). Their audio is resampled.",
      "\(Int(hertz))", error: error)
  }
}

// MARK: - Nodes

extension HostNotice {
  /// A plugin has changed its latency.
  static func latencyChanged(_ node: String, frames: Int) -> HostNotice {
    HostNotice(
      "latencyChanged",
      "{node} changed its latency to {frames} \(frames == 1 ? "frame" : "frames"). Parallel paths were realigned.",
      node, "\(frames)")
  }

  /// A plugin has logged an `error` or a `warning`.
  static func pluginLogged(_ node: String, level: String, _ message: String) -> HostNotice {
    HostNotice("pluginLogged", "{node}: {level}: {message}", node, level, message)
  }

  /// A plugin logs continuously.
  static func pluginLogSuppressed(_ node: String, count: Int) -> HostNotice {
    HostNotice(
      "pluginLogSuppressed",
      "{node}: {count} more log \(count == 1 ? "message" : "messages") suppressed.", node,
      "\(count)")
  }

  /// The reason for the isolation of a node is over.
  static func isolationEnded(_ node: String) -> HostNotice {
    HostNotice(
      "isolationEnded", "{node} has worked for a minute and is no longer isolated.", node
    )
    .asInformation
  }

  /// Nodes cannot be moved into the process of the session.
  static func isolationKept(_ nodes: [String], _ error: any Error) -> HostNotice {
    HostNotice(
      "isolationKept", "{nodes} stays isolated. {error}", nodes.joined(separator: ", "),
      error: error)
  }
}

// MARK: - Black boxes and Ableton Link

extension HostNotice {
  /// A black box was written.
  static func blackBoxSaved(_ path: String) -> HostNotice {
    HostNotice("blackBoxSaved", "The last seconds were saved in {path}.", path).asInformation
  }

  /// No further black box is written.
  static var blackBoxLimit: HostNotice {
    HostNotice(
      "blackBoxLimit", "That was the last black box of this session: the limit is reached.")
  }

  /// A black box has no data.
  static func blackBoxEmpty(_ error: any Error) -> HostNotice {
    HostNotice(
      "blackBoxEmpty", "The black box of this event was not saved. {error}", error: error)
  }

  /// A black box cannot be written.
  static func blackBoxNotWritten(_ error: any Error) -> HostNotice {
    HostNotice("blackBoxNotWritten", "{error}", error: error)
  }

  /// The process of Ableton Link cannot be started.
  static func linkNotStarted(_ reason: String) -> HostNotice {
    HostNotice(
      "linkNotStarted",
      "The tempo does not follow Ableton Link because outboard-link did not start ({reason}). Run `make link install-link` in the source tree of this program.",
      reason)
  }

  /// The process of Ableton Link has ended.
  static func linkEnded(restarts: Bool) -> HostNotice {
    let notice = HostNotice("linkEnded", "outboard-link has ended. The tempo stays.")
    return restarts
      ? notice.then("restarted", "The program is started again.")
      : notice.then("stopped", "Start the session again to follow Ableton Link.")
  }
}
