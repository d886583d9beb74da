// ToneExtrapolator.swift: how a sound would have gone on. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

/// Goes on where samples have ended, without a step or a corner, for as long as a fade takes: plain data.
///
/// What is predicted is a single tone, `next = c * last - before`, with the `c` that predicts the samples themselves
/// best: exact for a tone, and of any sound its loudest part. It neither grows nor dies away; what it is faded
/// out with sees to that.
struct ToneExtrapolator: BitwiseCopyable {
  private var coefficient = 0.0
  private var last = 0.0
  private var before = 0.0
  /// What it never exceeds: a tone that is guessed too low would.
  private var limit = 0.0

  /// Silence. [any]
  @_noLocks
  init() {}

  /// What follows `count` samples, all of them finite, at most as loud as they, or as a ceiling, linear. [render]
  @_noLocks
  init(after samples: UnsafePointer<Float>, _ count: Int, upTo ceiling: Float = .infinity) {
    guard count > 2 else { return }
    var power = 0.0
    var product = 0.0
    var peak = 0.0
    for frame in 0 ..< count { peak = max(peak, Double(abs(samples[frame]))) }
    for frame in 1 ..< count &- 1 {
      let sample = Double(samples[frame])
      power += sample * sample
      product += sample * (Double(samples[frame &- 1]) + Double(samples[frame &+ 1]))
    }
    coefficient = power > 0 ? max(-2, min(2, product / power)) : 0
    limit = min(peak, Double(ceiling))
    last = Double(samples[count &- 1])
    before = Double(samples[count &- 2])
  }

  /// The next sample. [render]
  @_noLocks
  mutating func next() -> Float {
    let sample = coefficient * last - before
    before = last
    last = sample
    return Float(max(0 - limit, min(limit, sample)))
  }
}
