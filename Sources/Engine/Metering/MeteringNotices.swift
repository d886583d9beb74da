// MeteringNotices.swift: the notices of level logs. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// The disk did not write the last lines at the end.
  static func levelLogStalled(_ path: String) -> HostNotice {
    HostNotice(
      "levelLogStalled",
      "The disk does not respond: the last lines of {path} can be missing.", path)
  }

  /// Too many lines wait for the disk.
  static func levelLogLosesLines(_ path: String, count: Int) -> HostNotice {
    HostNotice(
      "levelLogLosesLines", "The disk is too slow for {path}: {lines} lines were lost.", path,
      "\(count)")
  }

  /// Lines begin to be lost.
  static func levelLogNotWritten(_ path: String, reason: String) -> HostNotice {
    HostNotice(
      "levelLogNotWritten",
      "The log {path} cannot be written ({reason}). Lines are lost until writing succeeds.", path,
      reason)
  }

  /// Lines are no longer lost.
  static func levelLogContinues(_ path: String) -> HostNotice {
    HostNotice("levelLogContinues", "The log {path} is written again after a pause.", path)
  }
}
