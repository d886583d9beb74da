// Spurs.swift: spectral lines other than a tone. SPDX-License-Identifier: MIT

import Foundation

/// Returns the levels of lines above a tone at 48 kHz, from the given frequency on, with a window
/// whose side lobes are far below -90 dB.
package func spurs(
  of captured: some Collection<Float>, from lowest: Double = 1_200
) -> [(hertz: Double, decibels: Double)] {
  let frames = Double(captured.count)
  let windowed = captured.enumerated().map { index, sample in
    let phase = 2 * Double.pi * Double(index) / frames
    let window =
      0.35875 - 0.48829 * cos(phase) + 0.14128 * cos(2 * phase) - 0.01168 * cos(3 * phase)
    return Double(sample) * window
  }
  return stride(from: lowest, through: 20_000, by: 171).map { hertz in
    // Rotated instead of computed for each sample, which takes ten times as long.
    let angle = 2 * Double.pi * hertz / 48_000
    let (turnCosine, turnSine) = (cos(angle), sin(angle))
    var (real, imaginary, cosine, sine) = (0.0, 0.0, 1.0, 0.0)
    for sample in windowed {
      real += sample * cosine
      imaginary += sample * sine
      (cosine, sine) = (
        cosine * turnCosine - sine * turnSine, sine * turnCosine + cosine * turnSine
      )
    }
    let amplitude = 2 * (real * real + imaginary * imaginary).squareRoot() / frames / 0.35875
    return (hertz, 20 * log10(amplitude))
  }
}
