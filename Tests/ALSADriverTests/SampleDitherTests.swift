// SampleDitherTests.swift: dither and the rounding error. SPDX-License-Identifier: MIT

import AudioDriver
import CSamples
import Glibc
import Testing

@testable import ALSADriver

@Suite struct SampleDitherTests {
  private static let count = 1 << 17
  /// The phase step of a sine, in radians per sample.
  ///
  /// It is not a fraction of a cycle, so that all phases occur.
  private static let step = 0.1234567

  /// Converts samples in units of codes to codes of 16 bits, or of 8.
  private func codes(
    of samples: [Double], _ format: DeviceFormat = .s16, number: UInt32 = 0
  ) -> [Double] {
    let scale = Double(SampleReference(format).scale)
    var dither = csamples_dither_start(number)
    var bytes = [UInt8](repeating: 0, count: samples.count * format.byteCount)
    _ = csamples_write_dithered(
      format.code, samples.map { Float($0 / scale) }, &bytes, UInt32(format.byteCount),
      UInt32(samples.count), &dither)
    var read = [Float](repeating: 0, count: samples.count)
    csamples_read(format.code, bytes, UInt32(format.byteCount), &read, UInt32(samples.count))
    return read.map { Double($0) * scale }
  }

  private func errors(of samples: [Double], number: UInt32 = 0) -> [Double] {
    zip(codes(of: samples, number: number), samples).map { $0 - $1 }
  }

  private func sine(_ amplitude: Double) -> [Double] {
    (0 ..< Self.count).map { amplitude * sin(Self.step * Double($0)) }
  }

  private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

  private func power(_ values: [Double]) -> Double { mean(values.map { $0 * $0 }) }

  /// The amplitude of a multiple of the sine's frequency.
  private func amplitude(_ values: [Double], harmonic: Int) -> Double {
    var real = 0.0
    var imaginary = 0.0
    for (index, value) in values.enumerated() {
      let phase = Self.step * Double(harmonic * index)
      real += value * sin(phase)
      imaginary += value * cos(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(values.count)
  }

  // The total error of rounding with triangular dither of 2 codes from peak to peak has the power
  // of the rounding itself, 1/12, and of two uniform numbers of one code, 2/12: 1/4 in all. The
  // standard deviation of a mean over 2^17 samples is 0.5 / 362, a little more than a thousandth of a code.

  @Test(arguments: [DeviceFormat.s16, .u8, .s8, .u16BigEndian])
  func `the mean preserves a level between two codes`(format: DeviceFormat) {
    for level in [0, 0.1, 0.25, 0.5, -0.75, 20.9] {
      let samples = [Double](repeating: level, count: Self.count)
      #expect(abs(mean(codes(of: samples, format)) - level) < 0.005)
    }
  }

  @Test(arguments: [0, 0.3, 1, 100, 20_000])
  func `the power of the error is a quarter of a squared code, for any signal`(
    amplitude: Double
  ) {
    let power = power(errors(of: sine(amplitude)))
    #expect(abs(power - 0.25) < 0.005)
    let belowFullScaleSine = 10 * log10(power / (32_768 * 32_768 / 2))
    #expect(abs(belowFullScaleSine + 93.3) < 0.1)
  }

  @Test(arguments: [0, 0.3, 1, 1_000])
  func `the spectrum of the error is white`(amplitude: Double) {
    // White noise has no correlation with itself at any distance. The standard deviation of a
    // correlation is 1 / 362.
    let errors = errors(of: sine(amplitude))
    let power = power(errors)
    for lag in [1, 2, 3, 4, 7, 8, 16, 256] {
      let products = zip(errors, errors.dropFirst(lag)).map { $0 * $1 }
      #expect(abs(mean(products) / power) < 0.01, "at \(lag) samples")
    }
  }

  @Test func `a tone below one code survives, with no harmonics`() {
    let quiet = sine(0.4)
    let captured = codes(of: quiet)
    #expect(abs(amplitude(captured, harmonic: 1) - 0.4) < 0.01)
    for harmonic in 2 ... 9 { #expect(amplitude(captured, harmonic: harmonic) < 0.01) }
    // Without dither the tone disappears.
    var bytes = [UInt8](repeating: 1, count: 2 * quiet.count)
    _ = csamples_write(
      CSAMPLES_S16, quiet.map { Float($0 / 32_768) }, &bytes, 2, UInt32(quiet.count))
    #expect(bytes.allSatisfy { $0 == 0 })
  }

  @Test func `channels have independent dither`() {
    let silence = [Double](repeating: 0, count: Self.count)
    for (left, right) in [(0, 1), (0, 2), (1, 2), (3, 63)] as [(UInt32, UInt32)] {
      let products = zip(errors(of: silence, number: left), errors(of: silence, number: right))
        .map { $0 * $1 }
      #expect(abs(mean(products)) < 0.005)
    }
  }

  @Test func `parts of a signal are dithered like the whole signal`() {
    var source = SampleSource(seed: 6)
    let sound = source.sound(3_000)
    var whole = [UInt8](repeating: 0, count: 6_000)
    var parts = whole
    var dither = csamples_dither_start(7)
    _ = csamples_write_dithered(CSAMPLES_S16, sound, &whole, 2, 3_000, &dither)
    dither = csamples_dither_start(7)
    parts.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      sound.withUnsafeBufferPointer { sound in
        guard let from = sound.baseAddress else { return }
        var done = 0
        var length = 1
        while done < 3_000 {
          let count = min(length, 3_000 - done)
          _ = csamples_write_dithered(
            CSAMPLES_S16, from + done, base + 2 * done, 2, UInt32(count), &dither)
          done += count
          length += 7
        }
      }
    }
    #expect(parts == whole)
  }

  @Test(arguments: DeviceFormat.allCases)
  func `samples out of range are clipped and counted as without dither`(
    format: DeviceFormat
  ) {
    var source = SampleSource(seed: 8)
    let scale = Double(SampleReference(format).isFloat ? 1 : SampleReference(format).scale)
    let sound = source.hard(5_000, scale: scale)
    var plain = [UInt8](repeating: 0, count: 5_000 * format.byteCount)
    var dithered = plain
    var dither = csamples_dither_start(0)
    let stride = UInt32(format.byteCount)
    let clipped = csamples_write(format.code, sound, &plain, stride, 5_000)
    let ditheredClipped = csamples_write_dithered(
      format.code, sound, &dithered, stride, 5_000, &dither)
    #expect(ditheredClipped == clipped)
    // Finer formats do not need dither.
    let reference = SampleReference(format)
    #expect((dithered == plain) == (reference.bits > 16))
    guard reference.bits <= 16 else { return }
    for index in sound.indices {
      let place = index * format.byteCount
      let code = Double(reference.read(dithered[place ..< place + format.byteCount])) * scale
      let sample = sound[index].isNaN ? 0 : Double(sound[index]) * scale
      let bounded = max(-scale, min(scale - 1, sample))
      #expect(abs(code - bounded) <= 1.5)
    }
  }
}
