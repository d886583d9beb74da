// FourierTransformTests.swift: the transform compared with its definition. SPDX-License-Identifier: MIT

import Foundation
import ModuleKitUnderTest
import ModuleTestSupport
import Testing

@Suite struct FourierTransformTests {
  static let sizes = (4 ... 16).map { 1 << $0 }

  private func spectrum(_ signal: [Float]) -> (real: [Float], imaginary: [Float]) {
    let transform = FourierTransform(size: signal.count)
    defer { transform.free() }
    var real = [Float](repeating: .nan, count: signal.count / 2)
    var imaginary = real
    transform.forward(signal, &real, &imaginary)
    return (real, imaginary)
  }

  @Test(arguments: sizes)
  func `every bin equals the definition`(size: Int) {
    let signal = Signals.noise(size, seed: UInt64(size))
    let (real, imaginary) = spectrum(signal)
    // For long transforms only some bins, including the outermost and those of every residue.
    let bins =
      size <= 1_024
      ? Array(0 ... size / 2)
      : [0, 1, 2, 3, size / 2 - 1, size / 2]
        + (1 ... 40).map { $0 * (size / 2) / 41 }
    let cosines = (0 ..< size).map { cos(2 * .pi * Double($0) / Double(size)) }
    var (error, power) = (0.0, 0.0)
    for bin in bins {
      var (wantedReal, wantedImaginary) = (0.0, 0.0)
      for (frame, sample) in signal.enumerated() {
        let turn = bin * frame % size
        wantedReal += Double(sample) * cosines[turn]
        wantedImaginary -= Double(sample) * cosines[(turn + 3 * size / 4) % size]
      }
      let isReal = bin == 0 || bin == size / 2
      let gotReal = bin == size / 2 ? imaginary[0] : real[bin]
      let gotImaginary = isReal ? 0 : imaginary[bin]
      error += pow(Double(gotReal) - wantedReal, 2) + pow(Double(gotImaginary) - wantedImaginary, 2)
      power += wantedReal * wantedReal + wantedImaginary * wantedImaginary
    }
    #expect(10 * log10(error / power) < -132)
  }

  @Test(arguments: sizes)
  func `the inverse gives the signal times the size`(size: Int) {
    let transform = FourierTransform(size: size)
    defer { transform.free() }
    let signal = Signals.noise(size, seed: 7)
    let (real, imaginary) = spectrum(signal)
    var output = [Float](repeating: .nan, count: size)
    transform.inverse(real, imaginary, &output)
    let errors = zip(output, signal).map { $0 / Float(size) - $1 }
    #expect(Measure.rmsDecibels(errors) - Measure.rmsDecibels(signal) < -130)
  }

  @Test(arguments: sizes)
  func `a transform in steps, from two halves, gives the same result to the bit`(size: Int) {
    let transform = FourierTransform(size: size)
    defer { transform.free() }
    let signal = Signals.noise(size, seed: 3)
    let (early, late) = (Array(signal.prefix(size / 2)), Array(signal.suffix(size / 2)))
    let whole = spectrum(signal)
    var real = [Float](repeating: .nan, count: size / 2)
    var imaginary = real
    var output = [Float](repeating: .nan, count: size)
    var expected = output
    transform.inverse(whole.real, whole.imaginary, &expected)
    for step in 0 ..< transform.stepCount {
      transform.forward(step: step, early, late, &real, &imaginary)
    }
    for step in 0 ..< transform.stepCount {
      transform.inverse(step: step, real, imaginary, &output)
    }
    #expect(real == whole.real)
    #expect(imaginary == whole.imaginary)
    #expect(output == expected)
  }

  @Test func `a tone appears only in its own bin`() {
    let (real, imaginary) = spectrum((0 ..< 1_024).map { Float(sin(.pi * Double($0) / 8)) })
    let rest = real.indices.filter { $0 != 64 }.map { hypot(real[$0], imaginary[$0]) }
    #expect(abs(imaginary[64] + 512) < 1e-3 && abs(real[64]) < 1e-3)
    #expect((rest.max() ?? 1) < 1e-3)
  }
}
