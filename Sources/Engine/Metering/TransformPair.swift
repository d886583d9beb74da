// TransformPair.swift: the spectra of two real signals from one complex transform. SPDX-License-Identifier: MIT

/// The spectra of the real and the imaginary part of a signal that was transformed as one.
struct TransformPair {
  private let real: [Double]
  private let imaginary: [Double]

  /// Takes over the result of `FourierTransform.forward`.
  init(_ real: [Double], _ imaginary: [Double]) { (self.real, self.imaginary) = (real, imaginary) }

  private func mirror(_ line: Int) -> Int { (real.count - line) % real.count }

  /// Returns a line of the spectrum of the real part: real and imaginary part.
  func first(_ line: Int) -> SIMD2<Double> {
    let other = mirror(line)
    return SIMD2(real[line] + real[other], imaginary[line] - imaginary[other]) / 2
  }

  /// Returns a line of the spectrum of the imaginary part.
  func second(_ line: Int) -> SIMD2<Double> {
    let other = mirror(line)
    return SIMD2(imaginary[line] + imaginary[other], real[other] - real[line]) / 2
  }
}
