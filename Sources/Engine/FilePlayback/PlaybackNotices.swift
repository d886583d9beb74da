// PlaybackNotices.swift: the notices of players. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// Audio was not read in time.
  static func playbackStarves(_ path: String) -> HostNotice {
    HostNotice(
      "playbackStarves", "Disk too slow for {path}. Missing audio is replaced by silence.", path)
  }

  /// A file of the list was skipped, or ends early.
  static func fileNotPlayed(_ path: String, _ error: any Error) -> HostNotice {
    HostNotice("fileNotPlayed", "{error}", details: ["path": path], error: error)
  }

  /// A file is truncated, or has more than was played.
  static func filePlayedInPart(_ path: String, _ text: String) -> HostNotice {
    HostNotice("filePlayedInPart", "{text}", text, details: ["path": path])
  }

  /// The place of the first NaN or infinity, in seconds.
  static func fileHasInvalidSamples(_ path: String, at seconds: Double) -> HostNotice {
    HostNotice(
      "fileHasInvalidSamples",
      "{path} contains NaN or infinity, first at {seconds} s. These samples are replaced by silence.",
      path, "\(seconds)")
  }
}
