// PlayerSettings+Length.swift: how long a player plays. SPDX-License-Identifier: MIT

import AudioFiles

extension PlayerSettings {
  /// How long a rendering is until all has been played, in seconds; nil for a player that waits to be
  /// started, infinity for one that plays in a loop. [main]
  ///
  /// A file that cannot be read plays for no time: the player leaves it out.
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
