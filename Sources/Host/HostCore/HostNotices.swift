// HostNotices.swift: the notices of rig files and MIDI mappings. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// The rig file was read again.
  static func rigReloaded(_ rig: String) -> HostNotice {
    HostNotice("rigReloaded", "Reloaded {rig}.", rig).asInformation
  }

  /// The rig file was read again, but the previous rig stays active.
  static func rigNotReloaded(_ rig: String, _ error: any Error) -> HostNotice {
    HostNotice("rigNotReloaded", "{rig} was not reloaded. {error}", rig, error: error)
  }

  /// The system has no free watch for the rig file.
  static func rigNotWatched(_ rig: String) -> HostNotice {
    HostNotice(
      "rigNotWatched",
      "{rig} is not watched: the system has no free watch (fs.inotify.max_user_instances). Use `outboard load` to read it again.",
      rig)
  }

  /// A signal requests the rig file of a session without one.
  static var rigFileMissing: HostNotice {
    HostNotice(
      "rigFileMissing",
      "SIGHUP reloads the rig file, but this session was started without one. Use --rig.")
  }

  /// The devices of MIDI mappings cannot be opened.
  static func mappingsInactive(_ error: any Error) -> HostNotice {
    HostNotice("mappingsInactive", "The MIDI mappings have no effect. {error}", error: error)
  }
}
