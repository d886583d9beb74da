// ToneStack.swift: bass, middle and treble of two famous amplifiers. SPDX-License-Identifier: MIT
//
// The passive network between two valves, as a filter of the third order: D. T. Yeh and J. O. Smith,
// "Discretization of the '59 Fender Bassman Tone Stack", DAFx-06, with the transfer function that they derive from
// the circuit, by the bilinear transform.
//
//   in --+-- C1 ---- (1 - t) R1 -+- t R1 --+-- l R2 --+-- (1 - m) R3 --+-- m R3 --+
//        |                       out       |                           |          |
//        +-- R4 --+------ C2 --------------+                           |        ground
//                 +------ C3 ------------------------------------------+

import ModuleABI
import ModuleKit

/// The parts of a tone stack, in ohms and farads.
struct ToneParts {
  var r1, r2, r3, r4: Double
  var c1, c2, c3: Double

  /// Returns the components of Fender's '59 Bassman, of Marshall's JCM 800, or a value in between.
  ///
  /// - Parameter fraction: 0 to 1.
  @_noLocks
  init(british fraction: Double) {
    func between(_ american: Double, _ british: Double) -> Double {
      american + (british - american) * fraction
    }
    r1 = between(250e3, 220e3)
    r2 = between(1e6, 1e6)
    r3 = between(25e3, 22e3)
    r4 = between(56e3, 33e3)
    c1 = between(250e-12, 470e-12)
    c2 = between(20e-9, 22e-9)
    c3 = between(20e-9, 22e-9)
  }
}

/// `(b1 s + b2 s² + b3 s³) / (1 + a1 s + a2 s² + a3 s³)`.
private struct AnalogueStack {
  var b1, b2, b3: Double
  var a1, a2, a3: Double

  /// - Parameters:
  ///   - parts: of the stack.
  ///   - t: treble, 0 to 1.
  ///   - m: middle, 0 to 1.
  ///   - l: bass, as a share of its resistor, 0 to 1.
  @_noLocks
  init(_ parts: ToneParts, t: Double, m: Double, l: Double) {
    let (r1, r2, r3, r4) = (parts.r1, parts.r2, parts.r3, parts.r4)
    let (c12, c13, c23) = (parts.c1 * parts.c2, parts.c1 * parts.c3, parts.c2 * parts.c3)
    let (c1, c2, c3, c123) = (parts.c1, parts.c2, parts.c3, parts.c1 * c23)
    // The middle's wiper sees both ends of its resistor.
    let bridge = m * (1 - m)

    b1 = t * c1 * r1 + m * c3 * r3 + (c1 + c2) * (l * r2 + r3)
    b2 = t * r1 * r4 * (c12 + c13)
    b2 += bridge * r3 * r3 * (c13 + c23) + m * c13 * r1 * r3
    b2 += l * r2 * (c12 * (r1 + r4) + c13 * r4) + l * m * r2 * r3 * (c13 + c23)
    b2 += r3 * (c12 * (r1 + r4) + c13 * r4)
    b3 = c123 * (l * m * r2 * r3 + bridge * r3 * r3) * (r1 + r4)
    b3 += c123 * t * r1 * r4 * ((1 - m) * r3 + l * r2)

    a1 = c1 * (r1 + r3) + c2 * (r3 + r4) + c3 * r4 + m * c3 * r3 + l * r2 * (c1 + c2)
    a2 = m * r3 * (c13 * r1 - c23 * r4) + bridge * r3 * r3 * (c13 + c23)
    a2 += l * m * r2 * r3 * (c13 + c23)
    a2 += l * r2 * (c12 * (r1 + r4) + (c13 + c23) * r4)
    a2 += r1 * r4 * (c12 + c13) + r3 * r4 * (c12 + c13 + c23) + c12 * r1 * r3
    a3 = c123 * (l * m * r2 * r3 + bridge * r3 * r3) * (r1 + r4)
    a3 += c123 * r1 * r4 * ((1 - m) * r3 + l * r2)
  }
}

/// The stack as a digital filter of two channels, in the transposed direct form.
struct ToneStack {
  private var b = SIMD4<Double>(1, 0, 0, 0)
  private var a = SIMD4<Double>(1, 0, 0, 0)
  private var s1 = SIMD2<Double>.zero
  private var s2 = SIMD2<Double>.zero
  private var s3 = SIMD2<Double>.zero

  @_noLocks
  mutating func clear() { (s1, s2, s3) = (.zero, .zero, .zero) }

  /// Takes new settings of the knobs, each 0 to 1. [render]
  @_noLocks
  mutating func set(
    british: Double, bass: Double, middle: Double, treble: Double, sampleRateHz: Double
  ) {
    // The bass knob's resistor has a logarithmic law, as in the paper.
    let stack = AnalogueStack(
      ToneParts(british: british), t: treble, m: middle, l: realtime_exp(3.4 * (bass - 1)))
    let c = 2 * sampleRateHz
    let (c2, c3) = (c * c, c * c * c)
    let (p1, p2, p3) = (stack.b1 * c, stack.b2 * c2, stack.b3 * c3)
    let (q1, q2, q3) = (stack.a1 * c, stack.a2 * c2, stack.a3 * c3)
    let scale = 1 / (1 + q1 + q2 + q3)
    b = SIMD4(p1 + p2 + p3, p1 - p2 - 3 * p3, -p1 - p2 + 3 * p3, p2 - p1 - p3) * scale
    a = SIMD4(1 / scale, 3 + q1 - q2 - 3 * q3, 3 - q1 - q2 + 3 * q3, 1 - q1 + q2 - q3) * scale
  }

  @_noLocks
  @inline(__always)
  mutating func next(_ frame: SIMD2<Float>) -> SIMD2<Float> {
    let x = SIMD2<Double>(frame)
    let y = b.x * x + s1
    s1 = b.y * x - a.y * y + s2
    s2 = b.z * x - a.z * y + s3
    s3 = b.w * x - a.w * y
    return SIMD2<Float>(y)
  }
}
