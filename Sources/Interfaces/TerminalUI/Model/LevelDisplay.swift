// LevelDisplay.swift: levels with held peaks and clip marks. SPDX-License-Identifier: MIT

import HostModel

/// The levels of a direction as meters show them: the present peak, the highest of the last moments, and clipping.
struct LevelDisplay: Equatable {
  /// A channel.
  struct Channel: Equatable {
    /// In dBFS; negative infinity for silence.
    var level: Double
    /// The highest level of the last moments.
    var held: Double
    fileprivate var heldSince = 0.0

    init(level: Double = -.infinity, held: Double = -.infinity) {
      (self.level, self.held) = (level, held)
    }
  }

  /// How long a peak stays, in seconds.
  private static let holdSeconds = 1.5
  /// From here on a level counts as clipping, in dBFS.
  private static let clipDecibels = -0.02

  private(set) var channels: [Channel] = []
  /// Whether a level has reached full scale since the last reset.
  private(set) var hasClipped = false

  /// The highest level of all channels.
  var highest: Channel {
    Channel(
      level: channels.map(\.level).max() ?? -.infinity,
      held: channels.map(\.held).max() ?? -.infinity)
  }

  /// Takes new peaks at a time in seconds.
  mutating func take(_ peaks: [Double?], at seconds: Double) {
    if channels.count != peaks.count {
      channels = Array(repeating: Channel(), count: peaks.count)
    }
    for (index, peak) in peaks.enumerated() {
      let level = peak ?? -.infinity
      channels[index].level = level
      if level >= channels[index].held
        || seconds - channels[index].heldSince > Self.holdSeconds
      {
        (channels[index].held, channels[index].heldSince) = (level, seconds)
      }
      if level >= Self.clipDecibels { hasClipped = true }
    }
  }

  /// Clears the clip mark.
  mutating func reset() { hasClipped = false }
}
