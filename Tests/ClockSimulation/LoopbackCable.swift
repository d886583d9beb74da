// LoopbackCable.swift: how the kernel's loopback card counts frames. SPDX-License-Identifier: MIT

/// A cable of snd-aloop in virtual time: moved at each tick of the kernel, by whole frames.
///
/// Each end, playing and recording, counts the frames of a tick separately, rounds them down, and
/// restarts its count with each of its periods. The cable moves by the greater of both counts; the
/// surplus is removed at the next tick from the end that had counted more. If a clock is shifted
/// and the two ends round at different ticks, the card therefore changes its rate: for ten seconds
/// each, it runs without shift and with twice the shift. (See the kernel's sound/drivers/aloop.c,
/// 6.1 to 6.17.)
package struct LoopbackCable: Sendable {
  /// Ticks in a second, of Debian's kernel.
  package static let ticksPerSecond = 250

  /// One end, whose times are counted in bytes and ticks as in the kernel.
  private struct End {
    let bytesPerFrame = 8
    let rateHz: Int
    let rateShift: Int
    let periodTicks: Int
    var place = 0
    var ahead = 0

    init(rateHz: Int, rateShift: Int, periodFrames: Int) {
      self.rateHz = rateHz
      self.rateShift = rateShift
      periodTicks =
        rateShift * periodFrames * bytesPerFrame * ticksPerSecond / LoopbackCable.noShift
    }

    private func frames(_ place: Int) -> Int {
      LoopbackCable.noShift * place / (ticksPerSecond * rateShift) / bytesPerFrame
    }

    /// Returns the frames of one more tick.
    mutating func tick() -> Int {
      let before = frames(place)
      place += rateHz * bytesPerFrame
      let count = frames(place) - before - ahead
      ahead = 0
      if place >= periodTicks { place %= periodTicks }
      return count
    }
  }

  private static let noShift = 100_000
  /// The position after each tick, in frames.
  private let positions: [Int]

  /// Creates a cable for the given duration.
  ///
  /// The other end started the given number of ticks earlier.
  ///
  /// `rateShift` is the value of the mixer control: 100000 is exact, greater is slower. [any]
  package init(
    rateHz: Int = 48_000, rateShift: Int, playbackPeriodFrames: Int, capturePeriodFrames: Int,
    startedBefore ticks: Int = 100, seconds: Double
  ) {
    var playback = End(
      rateHz: rateHz, rateShift: rateShift, periodFrames: playbackPeriodFrames)
    var capture = End(rateHz: rateHz, rateShift: rateShift, periodFrames: capturePeriodFrames)
    for _ in 0 ..< ticks { _ = playback.tick() }
    var positions = [0]
    for _ in 0 ..< Int(seconds * Double(Self.ticksPerSecond)) {
      let (played, captured) = (playback.tick(), capture.tick())
      if played > captured { playback.ahead = played - captured }
      if captured > played { capture.ahead = captured - played }
      positions.append((positions.last ?? 0) + max(played, captured))
    }
    self.positions = positions
  }

  /// Returns the reported position at a time within `seconds`. [any]
  package func position(_ seconds: Double) -> Int {
    // A tick that is due at this time has already happened.
    let tick = Int((seconds * Double(Self.ticksPerSecond) + 1e-6).rounded(.down))
    return positions[max(0, min(tick, positions.count - 1))]
  }

  /// The deviation from a clock with its mean rate, in frames: minimum and maximum. [any]
  package var departures: ClosedRange<Double> {
    let last = positions.count - 1
    let each = Double(positions[last]) / Double(last)
    let departures = positions.enumerated().map { Double($1) - each * Double($0) }
    return (departures.min() ?? 0) ... (departures.max() ?? 0)
  }
}
