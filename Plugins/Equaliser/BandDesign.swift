// BandDesign.swift: digital filters that match analogue responses. SPDX-License-Identifier: MIT
//
// The bilinear transform compresses all frequencies up to infinity into the range below half the sample rate,
// so that a bell at 15 kHz becomes narrow and asymmetric. Here the poles are those of the analogue filter,
// sampled (`z = e^s`), and the zeros are chosen so that the magnitude matches exactly at three frequencies: 0
// Hz, the band's own, and one near the top of the range. After M. Vicanek, "Matched Second Order Digital
// Filters", 2016, which uses half the sample rate as the third; 0.82 of that halves the error within the
// audible range.
//
// A cut is the inverse of the boost with the same numbers, so that the two cancel. The boosting high shelf
// and the notch are also inverses, because their poles would be out of range or on the unit circle.

import ModuleABI
import ModuleKit

/// The kinds of band, numbered as in the manifest.
enum BandKind: Int {
  case off
  case bell
  case lowShelf
  case highShelf
  case highPass
  case lowPass
  case bandPass
  case notch
  case allPass
}

/// The settings of a band.
struct BandSettings {
  var kind: BandKind
  var frequencyHz: Double  // Hz
  var gainDecibels: Double  // dB
  var q: Double

  /// Whether the band has no effect.
  @_noLocks
  func changesNothing() -> Bool {
    switch kind {
    case .off: true
    case .bell, .lowShelf, .highShelf: gainDecibels == 0
    case .highPass, .lowPass, .bandPass, .notch, .allPass: false
    }
  }
}

/// `(n2 s² + n1 s + n0) / (d2 s² + d1 s + d0)`, where the band's frequency is `s = i`.
struct AnaloguePrototype {
  var n2 = 0.0
  var n1 = 0.0
  var n0 = 0.0
  var d2 = 1.0
  var d1: Double
  var d0 = 1.0

  /// The prototype of a kind of band.
  ///
  /// After R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter
  /// coefficients", with the gain at the frequency half of a shelf's, in dB.
  @_noLocks
  init(_ kind: BandKind, gainDecibels: Double, q: Double) {
    d1 = 1 / q
    switch kind {
    case .off:
      (n2, n1, n0) = (1, d1, 1)
    case .bell:
      let a = realtime_pow(10, gainDecibels / 40)
      (n2, n1, n0) = (1, a / q, 1)
      d1 = 1 / (a * q)
    case .lowShelf:
      let a = realtime_pow(10, gainDecibels / 40)
      let root = realtime_sqrt(a) / q
      (n2, n1, n0) = (a, a * root, a * a)
      (d2, d1, d0) = (a, root, 1)
    case .highShelf:
      let a = realtime_pow(10, gainDecibels / 40)
      let root = realtime_sqrt(a) / q
      (n2, n1, n0) = (a * a, a * root, a)
      (d2, d1, d0) = (1, root, a)
    case .highPass: n2 = 1
    case .lowPass: n0 = 1
    case .bandPass: n1 = d1
    case .notch: (n2, n0) = (1, 1)
    case .allPass: (n2, n1, n0) = (1, -d1, 1)
    }
  }

  /// Returns the prototype with numerator and denominator exchanged.
  @_noLocks
  func inverted() -> AnaloguePrototype {
    var copy = self
    (copy.n2, copy.n1, copy.n0) = (d2, d1, d0)
    (copy.d2, copy.d1, copy.d0) = (n2, n1, n0)
    return copy
  }

  /// The squared magnitude at a multiple of the band's frequency.
  @_noLocks
  func power(at x: Double) -> Double {
    let x2 = x * x
    let up = (n0 - n2 * x2) * (n0 - n2 * x2) + n1 * n1 * x2
    let down = (d0 - d2 * x2) * (d0 - d2 * x2) + d1 * d1 * x2
    return up / down
  }
}

/// `(b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²)`.
private struct DigitalFilter {
  var b0 = 1.0
  var b1 = 0.0
  var b2 = 0.0
  var a1 = 0.0
  var a2 = 0.0

  @_noLocks
  func inverted() -> DigitalFilter {
    DigitalFilter(b0: 1 / b0, b1: a1 / b0, b2: a2 / b0, a1: b1 / b0, a2: b2 / b0)
  }

  /// Takes the poles of a prototype whose frequency is `w` radians for each frame.
  @_noLocks
  mutating func setPoles(of prototype: AnaloguePrototype, _ w: Double) {
    let centre = w * realtime_sqrt(prototype.d0 / prototype.d2)
    let damping = 0.5 * prototype.d1 / realtime_sqrt(prototype.d0 * prototype.d2)
    if damping <= 1 {
      let turn = realtime_sqrt(1 - damping * damping) * centre
      a1 = -2 * realtime_exp(-damping * centre) * realtime_cos(turn)
    } else {
      let spread = realtime_sqrt(damping * damping - 1)
      a1 = -realtime_exp((spread - damping) * centre) - realtime_exp(-(spread + damping) * centre)
    }
    a2 = realtime_exp(-2 * damping * centre)
  }

  /// The squared magnitude of the denominator, as a polynomial in `sin²(w / 2)`: the part at 0 Hz,
  /// the part at half the sample rate, and the arch between.
  @_noLocks
  func poleParts() -> SIMD3<Double> {
    SIMD3((1 + a1 + a2) * (1 + a1 + a2), (1 - a1 + a2) * (1 - a1 + a2), -4 * a2)
  }
}

/// The weights of the three parts at `w` radians for each frame.
@_noLocks
private func weights(_ w: Double) -> SIMD3<Double> {
  let sine = realtime_sin(w / 2)
  let s = sine * sine
  return SIMD3(1 - s, s, 4 * s * (1 - s))
}

@_noLocks
private func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
  a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Zeros that meet the prototype at 0 Hz, `middle` and `top`, all in radians for each frame.
@_noLocks
private func fitted(
  _ prototype: AnaloguePrototype, _ w: Double, middle: Double, top: Double
) -> DigitalFilter {
  var filter = DigitalFilter()
  filter.setPoles(of: prototype, w)
  let poles = filter.poleParts()
  let low = poles[0] * prototype.power(at: 0)
  let atMiddle = weights(middle)
  let atTop = weights(top)
  let restMiddle = dot(poles, atMiddle) * prototype.power(at: middle / w) - low * atMiddle[0]
  let restTop = dot(poles, atTop) * prototype.power(at: top / w) - low * atTop[0]
  let determinant = atMiddle[1] * atTop[2] - atMiddle[2] * atTop[1]
  var high = (restMiddle * atTop[2] - restTop * atMiddle[2]) / determinant
  var arch = (atMiddle[1] * restTop - atTop[1] * restMiddle) / determinant
  if !(high > 0) {
    // No filter meets all three: take half the sample rate for the topmost, as the paper does.
    high = poles[1] * prototype.power(at: Double.pi / w)
    arch = (restMiddle - high * atMiddle[1]) / atMiddle[2]
  }
  let rootLow = realtime_sqrt(low)
  let rootHigh = realtime_sqrt(high)
  let mean = 0.5 * (rootLow + rootHigh)
  // Zeros stay inside the unit circle, because they may become the poles of an inverse.
  arch = max(arch, (1e-9 - 1) * mean * mean)
  filter.b0 = 0.5 * (mean + realtime_sqrt(mean * mean + arch))
  filter.b1 = 0.5 * (rootLow - rootHigh)
  filter.b2 = -arch / (4 * filter.b0)
  return filter
}

/// A high-pass keeps both zeros at 0 Hz, for the slope; its gain is met at the band's frequency.
@_noLocks
private func highPass(_ prototype: AnaloguePrototype, _ w: Double) -> DigitalFilter {
  var filter = DigitalFilter()
  filter.setPoles(of: prototype, w)
  let at = weights(w)
  let power = prototype.power(at: 1) * dot(filter.poleParts(), at)
  filter.b0 = realtime_sqrt(power) / (4 * at[1])
  filter.b1 = -2 * filter.b0
  filter.b2 = filter.b0
  return filter
}

/// The bilinear transform of a prototype, exact at 0 Hz and at the band's frequency.
@_noLocks
private func bilinear(_ prototype: AnaloguePrototype, _ w: Double) -> FilterCoefficients {
  let scale = realtime_sqrt(prototype.d0 * prototype.d2)
  let tangent = realtime_sin(w / 2) / realtime_cos(w / 2)
  return FilterCoefficients(
    g: tangent * realtime_sqrt(prototype.d0 / prototype.d2), k: prototype.d1 / scale,
    high: prototype.n2 / prototype.d2, band: prototype.n1 / scale,
    low: prototype.n0 / prototype.d0)
}

/// Designs one band. [any]
///
/// An all-pass is always bilinear: it has no magnitude to match.
@_noLocks
func bandCoefficients(
  _ settings: BandSettings, isBilinear: Bool, sampleRateHz: Double
) -> FilterCoefficients {
  if isBilinear || settings.kind == .allPass {
    let w = 2 * Double.pi * min(settings.frequencyHz / sampleRateHz, 0.4999)
    let design = bilinear(
      AnaloguePrototype(settings.kind, gainDecibels: settings.gainDecibels, q: settings.q), w)
    return settings.changesNothing() ? design.bypassed() : design
  }
  let w = 2 * Double.pi * min(settings.frequencyHz / sampleRateHz, 0.48)
  let q = settings.q
  let prototype = AnaloguePrototype(settings.kind, gainDecibels: settings.gainDecibels, q: q)
  var middle = w
  var isInverse = false
  switch settings.kind {
  case .bell, .lowShelf: isInverse = settings.gainDecibels < 0
  case .highShelf: isInverse = settings.gainDecibels > 0
  case .notch:
    isInverse = true
    // The -3 dB frequency of a notch, whose centre has no level to match.
    middle = w * (realtime_sqrt(1 + 0.25 / (q * q)) - 0.5 / q)
  case .off, .highPass, .lowPass, .bandPass, .allPass: break
  }
  let highest = 0.82 * Double.pi
  let top = max(highest, min(0.97 * Double.pi, 1.1 * w))
  middle = min(middle, 0.97 * top)
  let filter: DigitalFilter
  if settings.kind == .highPass {
    filter = highPass(prototype, w)
  } else if isInverse {
    filter = fitted(prototype.inverted(), w, middle: middle, top: top).inverted()
  } else {
    filter = fitted(prototype, w, middle: middle, top: top)
  }
  let design = FilterCoefficients(
    b0: filter.b0, b1: filter.b1, b2: filter.b2, a1: filter.a1, a2: filter.a2)
  return settings.changesNothing() ? design.bypassed() : design
}
