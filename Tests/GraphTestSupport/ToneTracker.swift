// ToneTracker.swift: the level of a tone, frame by frame. SPDX-License-Identifier: MIT

import Foundation

/// Measures the level and the phase of the tone that `ClickDetector` expects, by two samples a quarter
/// of a period apart.
package struct ToneTracker {
  /// Levels and phases relative to a continuous tone, as points of a plane.
  private let points: [SIMD2<Double>]

  /// Analyses samples at a rate for which a quarter of the tone's period is a whole number of frames.
  package init(_ samples: some Collection<Float>, rateHz: Double = 48_000) {
    let samples = samples.map(Double.init)
    let quarter = Int(rateHz / ClickDetector.hertz / 4)
    let angle = 2 * Double.pi * ClickDetector.hertz / rateHz
    points = (quarter ..< max(quarter, samples.count)).map { frame in
      let (real, imaginary) = (samples[frame - quarter], samples[frame])
      // A tone sampled a quarter of a period apart rotates backwards. This reverses the rotation.
      let (sine, cosine) = (sin(angle * Double(frame)), cos(angle * Double(frame)))
      return SIMD2(real * cosine - imaginary * sine, real * sine + imaginary * cosine)
    }
  }

  /// The level of the tone at the end, linear.
  package var endLevel: Double {
    points.last.map { ($0 * $0).sum().squareRoot() } ?? 0
  }

  /// The largest dip of the tone below every equal-gain crossfade between its beginning and its
  /// end, in decibels: 0 for no dip, and minus infinity for a gap.
  ///
  /// Two tones of different phases cancel partly during a crossfade: the minimum is on the straight
  /// line between them.
  package var dipDecibels: Double {
    guard let start = points.first, let end = points.last else { return 0 }
    let way = end - start
    let length = (way * way).sum()
    let nearest = length > 0 ? min(1, max(0, -(start * way).sum() / length)) : 0
    let least = start + way * nearest
    let expected = (least * least).sum().squareRoot()
    let captured = points.map { ($0 * $0).sum().squareRoot() }.min() ?? 0
    // Points are a quarter of a period wide, so that they miss the middle of a passage through
    // zero.
    let blur = 0.03 * max((start * start).sum(), (end * end).sum()).squareRoot()
    return captured > expected - blur ? 0 : 20 * log10(captured / expected)
  }
}
