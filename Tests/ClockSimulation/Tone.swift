// Tone.swift: a sine, and everything else in a signal. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

/// The analysis of a tone, in decibels of full scale and hertz.
package struct ToneReport {
  /// The line of the tone.
  package var frequencyHz = 0.0
  /// The level, within the scalloping of a line.
  package var levelDecibels = 0.0
  /// The highest line other than those of the tone and of a constant.
  package var spurDecibels = 0.0
  /// The frequency of that line.
  package var spurHz = 0.0
  /// The sum of all lines other than that of the tone.
  package var noiseDecibels = 0.0
}

/// Lines to each side of a tone that the window spreads it over: its main lobe is 7 wide.
private let lobe = 8

/// A seven-term Blackman-Harris window.
///
/// Its side lobes at -180 dB add no lines.
///
/// From H. Albrecht, "A family of cosine-sum windows" (2001).
private let terms = [
  0.271_051_400_693_42, 0.433_297_939_234_48, 0.218_122_999_543_11, 0.065_925_446_388_03,
  0.010_811_742_098_37, 0.000_776_584_825_22, 0.000_013_887_217_35,
]

/// Analyses the last 65536 samples of a tone: lines 0.73 Hz apart at 48 kHz.
package func report(_ samples: [Float], rateHz: Double) -> ToneReport {
  let count = 65_536
  var real = [Double](repeating: 0, count: count)
  var imaginary = real
  for index in 0 ..< count {
    var window = 0.0
    var sign = 1.0
    for (order, term) in terms.enumerated() {
      window += sign * term * cos(2 * .pi * Double(order * index) / Double(count))
      sign = -sign
    }
    real[index] = window * Double(samples[samples.count - count + index])
  }
  FourierTransform.forward(&real, &imaginary)
  let scale = 2 / (Double(count) * terms[0])
  let levels = (0 ..< count / 2).map { scale * hypot(real[$0], imaginary[$0]) }
  let top = levels.indices.max { levels[$0] < levels[$1] } ?? 0
  let rest = levels.indices.filter { abs($0 - top) > lobe && $0 > lobe }
  let spur = rest.max { levels[$0] < levels[$1] } ?? 0
  // The window's noise bandwidth is 2.63 lines.
  let power = rest.reduce(0) { $0 + levels[$1] * levels[$1] } / 2.63
  return ToneReport(
    frequencyHz: Double(top) * rateHz / Double(count), levelDecibels: 20 * log10(levels[top]),
    spurDecibels: 20 * log10(levels[spur]), spurHz: Double(spur) * rateHz / Double(count),
    noiseDecibels: 10 * log10(power))
}

/// The amplitude of a tone of known frequency, by least squares.
package func amplitude(_ samples: ArraySlice<Float>, cyclesPerFrame: Double) -> Double {
  var (sc, ss, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    let angle = 2 * .pi * cyclesPerFrame * Double(index)
    let (c, s) = (cos(angle), sin(angle))
    sc += s * c
    ss += s * s
    cc += c * c
    xs += Double(sample) * s
    xc += Double(sample) * c
  }
  let determinant = ss * cc - sc * sc
  return hypot((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant)
}
