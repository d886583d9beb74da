// Radix4Butterfly.swift: a radix-4 butterfly for the FFT of feedback suppression.
// SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// A radix-4 butterfly: its input, its output, and its twiddle factors.
///
/// Real parts are at the pointers, imaginary parts one transform length after them.
struct Radix4Butterfly: BitwiseCopyable {
  private let from: UnsafeMutablePointer<Float>
  private let to: UnsafeMutablePointer<Float>
  private let stride: Int
  private let one: SIMD2<Float>
  private let two: SIMD2<Float>
  private let three: SIMD2<Float>

  @_noLocks
  init(
    from: UnsafeMutablePointer<Float>, to: UnsafeMutablePointer<Float>, stride: Int,
    one: SIMD2<Float>, two: SIMD2<Float>, three: SIMD2<Float>
  ) {
    self.from = from
    self.to = to
    self.stride = stride
    self.one = one
    self.two = two
    self.three = three
  }

  /// One butterfly.
  @_noLocks
  func single() {
    let size = FeedbackSpectrum.size
    let quarter = size / 4
    let imaginary = from + size
    let (ar, ai) = (from[0], imaginary[0])
    let (br, bi) = (from[quarter], imaginary[quarter])
    let (cr, ci) = (from[2 &* quarter], imaginary[2 &* quarter])
    let (dr, di) = (from[3 &* quarter], imaginary[3 &* quarter])
    let (sumR, sumI) = (ar + cr, ai + ci)
    let (gapR, gapI) = (ar - cr, ai - ci)
    let (otherR, otherI) = (br + dr, bi + di)
    // Times i.
    let (turnedR, turnedI) = (di - bi, br - dr)
    let out = to + size
    to[0] = sumR + otherR
    out[0] = sumI + otherI
    let (xr, xi) = (gapR - turnedR, gapI - turnedI)
    to[1] = xr * one.x - xi * one.y
    out[1] = xr * one.y + xi * one.x
    let (yr, yi) = (sumR - otherR, sumI - otherI)
    to[2] = yr * two.x - yi * two.y
    out[2] = yr * two.y + yi * two.x
    let (zr, zi) = (gapR + turnedR, gapI + turnedI)
    to[3] = zr * three.x - zi * three.y
    out[3] = zr * three.y + zi * three.x
  }

  /// Computes four adjacent butterflies with the same twiddle factors.
  @_noLocks
  func four(_ lane: Int) {
    let size = FeedbackSpectrum.size
    let quarter = size / 4
    let (ar, ai) = (load(lane), load(lane &+ size))
    let (br, bi) = (load(lane &+ quarter), load(lane &+ quarter &+ size))
    let (cr, ci) = (load(lane &+ 2 &* quarter), load(lane &+ 2 &* quarter &+ size))
    let (dr, di) = (load(lane &+ 3 &* quarter), load(lane &+ 3 &* quarter &+ size))
    let (sumR, sumI) = (ar + cr, ai + ci)
    let (gapR, gapI) = (ar - cr, ai - ci)
    let (otherR, otherI) = (br + dr, bi + di)
    let (turnedR, turnedI) = (di - bi, br - dr)
    store(sumR + otherR, lane)
    store(sumI + otherI, lane &+ size)
    let (xr, xi) = (gapR - turnedR, gapI - turnedI)
    store(xr * one.x - xi * one.y, lane &+ stride)
    store(xr * one.y + xi * one.x, lane &+ stride &+ size)
    let (yr, yi) = (sumR - otherR, sumI - otherI)
    store(yr * two.x - yi * two.y, lane &+ 2 &* stride)
    store(yr * two.y + yi * two.x, lane &+ 2 &* stride &+ size)
    let (zr, zi) = (gapR + turnedR, gapI + turnedI)
    store(zr * three.x - zi * three.y, lane &+ 3 &* stride)
    store(zr * three.y + zi * three.x, lane &+ 3 &* stride &+ size)
  }

  @_noLocks
  private func load(_ index: Int) -> SIMD4<Float> {
    UnsafeRawPointer(from + index).loadUnaligned(as: SIMD4<Float>.self)
  }

  @_noLocks
  private func store(_ value: SIMD4<Float>, _ index: Int) {
    UnsafeMutableRawPointer(to + index).storeBytes(of: value, as: SIMD4<Float>.self)
  }
}
