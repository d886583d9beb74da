// FourierButterfly.swift: four transforms of four points at once. SPDX-License-Identifier: MIT

import ModuleABI

/// Four complex points in each of four lanes.
struct Butterfly {
  typealias Points = (SIMD4<Float>, SIMD4<Float>)

  /// Returns their transform, in order.
  let sums: (Points, Points, Points, Points)

  @_noLocks
  @inline(__always)
  init(a: Points, b: Points, c: Points, d: Points) {
    let (evenReal, evenImaginary) = (a.0 + c.0, a.1 + c.1)
    let (oddReal, oddImaginary) = (b.0 + d.0, b.1 + d.1)
    let (leftReal, leftImaginary) = (a.0 - c.0, a.1 - c.1)
    // A quarter turn: the imaginary unit times b - d.
    let (rightReal, rightImaginary) = (d.1 - b.1, b.0 - d.0)
    sums = (
      (evenReal + oddReal, evenImaginary + oddImaginary),
      (leftReal - rightReal, leftImaginary - rightImaginary),
      (evenReal - oddReal, evenImaginary - oddImaginary),
      (leftReal + rightReal, leftImaginary + rightImaginary)
    )
  }

  /// Reads points at a stride.
  @_noLocks
  @inline(__always)
  init(_ real: UnsafePointer<Float>, _ imaginary: UnsafePointer<Float>, apart: Int) {
    self.init(
      a: (UnalignedSIMD.load(real), UnalignedSIMD.load(imaginary)),
      b: (UnalignedSIMD.load(real + apart), UnalignedSIMD.load(imaginary + apart)),
      c: (UnalignedSIMD.load(real + 2 * apart), UnalignedSIMD.load(imaginary + 2 * apart)),
      d: (UnalignedSIMD.load(real + 3 * apart), UnalignedSIMD.load(imaginary + 3 * apart)))
  }

  /// Returns the transform multiplied by the twiddle factors of results two to four.
  @_noLocks
  @inline(__always)
  func twiddled(_ factors: UnsafePointer<SIMD4<Float>>) -> (Points, Points, Points, Points) {
    (
      sums.0, product(sums.1, factors[0], factors[1]), product(sums.2, factors[2], factors[3]),
      product(sums.3, factors[4], factors[5])
    )
  }

  /// Writes the results at a stride.
  @_noLocks
  @inline(__always)
  func write(
    _ factors: UnsafePointer<SIMD4<Float>>, _ real: UnsafeMutablePointer<Float>,
    _ imaginary: UnsafeMutablePointer<Float>, apart: Int
  ) {
    let results = twiddled(factors)
    UnalignedSIMD.store(results.0.0, real)
    UnalignedSIMD.store(results.0.1, imaginary)
    UnalignedSIMD.store(results.1.0, real + apart)
    UnalignedSIMD.store(results.1.1, imaginary + apart)
    UnalignedSIMD.store(results.2.0, real + 2 * apart)
    UnalignedSIMD.store(results.2.1, imaginary + 2 * apart)
    UnalignedSIMD.store(results.3.0, real + 3 * apart)
    UnalignedSIMD.store(results.3.1, imaginary + 3 * apart)
  }

  @_noLocks
  @inline(__always)
  private func product(_ point: Points, _ real: SIMD4<Float>, _ imaginary: SIMD4<Float>) -> Points {
    (point.0 * real - point.1 * imaginary, point.0 * imaginary + point.1 * real)
  }
}
