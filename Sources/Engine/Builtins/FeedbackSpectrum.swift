// FeedbackSpectrum.swift: the spectra of feedback suppression, computed in slices. SPDX-License-Identifier: MIT
//
// Real-time code, except for the setup: nothing else here allocates, frees, locks, waits, throws or
// logs.

import CRealtime
import Glibc

/// The spectrum of the last 1,024 frames, every 256, and those before it.
///
/// Two channels are the real and the imaginary part of one complex transform: the sum of both
/// channels' powers is that of the lines k and -k, without taking them apart. The transform is
/// Stockham's of radix 4, a pass to a slice, so that no block bears the whole of it.
struct FeedbackSpectrum: ~Copyable {
  /// Frames in a spectrum.
  static var size: Int { @_noLocks get { 1_024 } }
  /// Frames from one spectrum to the next.
  static var hop: Int { @_noLocks get { 256 } }
  /// Lines of a spectrum, up to half the rate.
  static var lineCount: Int { @_noLocks get { 512 } }
  /// The number of spectra that are kept; a power of two.
  static var fineHistory: Int { @_noLocks get { 64 } }
  /// The number of kept means of four spectra; a power of two.
  static var coarseHistory: Int { @_noLocks get { 128 } }
  /// The number of spectra in each mean.
  static var fold: Int { @_noLocks get { 4 } }

  /// Frames ready for the next spectrum; the position is counted from the start.
  let first: UnsafeMutablePointer<Float>
  let second: UnsafeMutablePointer<Float>
  var position = 0
  /// The number of spectra so far.
  var fineCount = 0
  /// The number of complete means so far.
  var coarseCount = 0
  /// The sum of the newest spectrum's lines; 1.5 for a full-scale sine.
  var total: Float = 0

  private let window: UnsafeMutablePointer<Float>
  private let turns: UnsafeMutablePointer<SIMD2<Float>>
  private let work: UnsafeMutablePointer<Float>
  private let fine: UnsafeMutablePointer<Float>
  private let coarse: UnsafeMutablePointer<Float>

  /// Silence before the start. [main]
  init() {
    let size = Self.size
    func zeros(_ count: Int) -> UnsafeMutablePointer<Float> {
      let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
      memory.initialize(repeating: 0, count: count)
      return memory
    }
    first = zeros(size)
    second = zeros(size)
    window = zeros(size)
    work = zeros(4 * size)
    fine = zeros(Self.fineHistory * Self.lineCount)
    coarse = zeros(Self.coarseHistory * Self.lineCount)
    turns = .allocate(capacity: size)
    for index in 0 ..< size {
      let angle = 2 * Double.pi * Double(index) / Double(size)
      window[index] = Float(0.5 - 0.5 * cos(angle))
      (turns + index).initialize(to: SIMD2(Float(cos(angle)), Float(-sin(angle))))
    }
  }

  deinit {
    for memory in [first, second, window, work, fine, coarse] { memory.deallocate() }
    turns.deallocate()
  }

  /// Takes a frame of the two channels. [render]
  @_noLocks
  mutating func take(_ one: Float, _ other: Float) {
    let index = position & (Self.size &- 1)
    first[index] = one
    second[index] = other
    position &+= 1
  }

  /// The powers of a recent spectrum; 0 is the newest.
  ///
  /// A sine of full scale has the power 1.
  @_noLocks
  func fineSpectrum(_ hopsAgo: Int) -> UnsafeMutablePointer<Float> {
    fine + ((fineCount &- 1 &- hopsAgo) & (Self.fineHistory &- 1)) &* Self.lineCount
  }

  /// Returns the mean powers of four spectra.
  @_noLocks
  func coarseSpectrum(_ hopsAgo: Int) -> UnsafeMutablePointer<Float> {
    coarse + ((coarseCount &- 1 &- hopsAgo) & (Self.coarseHistory &- 1)) &* Self.lineCount
  }

  // MARK: - Slices

  /// The frames weighted with Hann's window.
  @_noLocks
  func weigh() {
    let size = Self.size
    let start = position & (size &- 1)
    for index in 0 ..< size {
      let from = (start &+ index) & (size &- 1)
      work[index] = first[from] * window[index]
      work[size &+ index] = second[from] * window[index]
    }
  }

  /// Runs one of the five passes, 0 to 4: each reads the output of the previous one.
  @_noLocks
  func pass(_ number: Int) {
    let size = Self.size
    let isEven = number & 1 == 0
    let from = work + (isEven ? 0 : 2 &* size)
    let to = work + (isEven ? 2 &* size : 0)
    let stride = 1 << (2 &* number)
    for group in 0 ..< size / 4 / stride {
      let turn = group &* stride
      let butterfly = Radix4Butterfly(
        from: from + stride &* group, to: to + 4 &* stride &* group, stride: stride,
        one: turns[turn], two: turns[2 &* turn], three: turns[3 &* turn])
      if stride == 1 {
        butterfly.single()
      } else {
        for lane in 0 ..< stride / 4 { butterfly.four(4 &* lane) }
      }
    }
  }

  /// The powers of the lines, into the memory of spectra.
  @_noLocks
  mutating func finish() {
    let size = Self.size
    let real = work + 2 &* size
    let imaginary = work + 3 &* size
    fineCount &+= 1
    let row = fineSpectrum(0)
    // For line k, line -k and the window's gain of one half.
    let scale = 8 / Float(size) / Float(size)
    var sum: Float = 0
    row[0] = 0
    for line in 1 ..< Self.lineCount {
      let other = size &- line
      let power =
        real[line] * real[line] + imaginary[line] * imaginary[line]
        + (real[other] * real[other] + imaginary[other] * imaginary[other])
      row[line] = power * scale
      sum += power
    }
    total = sum * scale
    fold(row)
  }

  /// Adds the newest spectrum to the mean that is being formed.
  @_noLocks
  private mutating func fold(_ row: UnsafeMutablePointer<Float>) {
    let part = (fineCount &- 1) & (Self.fold &- 1)
    let mean = coarse + (coarseCount & (Self.coarseHistory &- 1)) &* Self.lineCount
    let factor = 1 / Float(Self.fold)
    if part == 0 {
      for line in 0 ..< Self.lineCount { mean[line] = row[line] * factor }
    } else {
      for line in 0 ..< Self.lineCount { mean[line] += row[line] * factor }
    }
    if part == Self.fold &- 1 { coarseCount &+= 1 }
  }
}
