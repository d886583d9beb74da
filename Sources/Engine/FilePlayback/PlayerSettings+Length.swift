// PlayerSettings+Length.swift: how long a player plays. SPDX-License-Identifier: MIT

import AudioFiles

extension PlayerSettings {
  /// The length of a rendering that plays everything, in seconds; nil for a player that does not
  /// start automatically, infinity for one that loops. [main]
  ///
  /// A file that cannot be read has no length: the player skips it.
  package var lengthSeconds: Double? {
    guard !startsWaiting else { return nil }
    guard !isLooping else { return .infinity }
    let files = files.map { path in
      guard let reader = try? AudioFileReader(path: path), let count = reader.frameCount else {
        return 0.0
      }
      return Double(count) / Double(reader.sampleRateHz)
    }
    return startSeconds + max(0, files.reduce(0, +) - fromSeconds)
  }
}
