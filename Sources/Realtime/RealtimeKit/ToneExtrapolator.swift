// ToneExtrapolator.swift: continues audio as a tone. SPDX-License-Identifier: MIT

/// Continues a row of samples without a step or a corner, for the length of a fade: plain data.
///
/// It predicts a single tone, `next = c * last - before`, with the `c` that predicts the given
/// samples best: exact for a tone, otherwise the loudest part. The tone has a constant level; the
/// caller fades it out.
package struct ToneExtrapolator: BitwiseCopyable {
  private var coefficient = 0.0
  private var last = 0.0
  private var before = 0.0
  /// The maximum level, which a tone with too low an estimated frequency would exceed.
  private var limit = 0.0

  /// Creates silence. [any]
  @_noLocks
  package init() {}

  /// Continues `count` finite samples, at most as loud as they are, or as `ceiling`, linear.
  /// [render]
  @_noLocks
  package init(after samples: UnsafePointer<Float>, _ count: Int, upTo ceiling: Float = .infinity) {
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

  /// Returns the next sample. [render]
  @_noLocks
  package mutating func next() -> Float {
    let sample = coefficient * last - before
    before = last
    last = sample
    return Float(max(0 - limit, min(limit, sample)))
  }
}
