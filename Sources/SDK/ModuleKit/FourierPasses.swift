// FourierPasses.swift: the passes of the complex transform. SPDX-License-Identifier: MIT

import ModuleABI

/// Radix-4 passes in Stockham's order, and a final radix-2 pass if the length needs it.
///
/// Each pass writes in the order in which the next one reads, so no bit reversal is needed (C. Van Loan,
/// Computational Frameworks for the Fast Fourier Transform, 1992). Real and imaginary parts are in separate
/// buffers. Four butterflies are computed at a time.
struct FourierPasses {
  /// The number of passes.
  let count: Int
  /// The number of chunks of about equal cost in a pass.
  let chunkCount: Int
  private let pointCount: Int
  private let quarter: Int
  // For each pass but the last the three factors of each butterfly, real before imaginary: in the first
  // pass those of four butterflies, later that of one in all lanes.
  private let factors: UnsafeMutablePointer<SIMD4<Float>>
  // Two pairs of buffers. Each is read by one pass and written by the next.
  private let rows: UnsafeMutablePointer<Float>

  // The number of vectors of four butterflies in a chunk.
  private static let vectorsInChunk = 256
  private static let factorCount = 6

  /// Creates the tables. [main]
  ///
  /// - Parameter pointCount: complex points, a power of two, at least 8.
  init(pointCount: Int) {
    self.pointCount = pointCount
    quarter = pointCount / 4
    count = (pointCount.trailingZeroBitCount + 1) / 2
    chunkCount = max(1, pointCount / 16 / Self.vectorsInChunk)
    factors = .allocate(capacity: pointCount + 16)
    rows = .allocate(capacity: pointCount * 4)
    rows.initialize(repeating: 0, count: pointCount * 4)
    var next = factors
    // In a first pass of fewer than four butterflies, all lanes have the factors.
    var length = pointCount
    var lanes = quarter >= 4 ? 4 : 1
    while length > 4 {
      for butterfly in stride(from: 0, to: length / 4, by: lanes) {
        for power in 1 ... 3 {
          for lane in 0 ..< 4 {
            let turns = Double(power * (butterfly + lane % lanes)) / Double(length)
            next[0][lane] = Float(realtime_cos(2 * .pi * turns))
            next[1][lane] = Float(-realtime_sin(2 * .pi * turns))
          }
          next += 2
        }
      }
      lanes = 1
      length /= 4
    }
  }

  /// Frees the memory. [main]
  func free() {
    factors.deallocate()
    rows.deallocate()
  }

  /// The buffers that `first(_:)` reads.
  var start: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) {
    @_noLocks get { (rows + 2 * pointCount, rows + 3 * pointCount) }
  }

  /// The buffers that the last pass writes.
  var result: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) {
    @_noLocks get { (outputOfPass(by: count - 1), outputOfPass(by: count - 1) + pointCount) }
  }

  @_noLocks
  private func outputOfPass(by pass: Int) -> UnsafeMutablePointer<Float> {
    pass % 2 == 0 ? rows : rows + 2 * pointCount
  }

  // MARK: - Passes

  /// A chunk of the first pass on a signal in two halves, whose even frames are the real parts.
  @_noLocks
  func first(
    _ chunk: Int, _ early: UnsafePointer<Float>, _ late: UnsafePointer<Float>
  ) {
    guard quarter >= 4 else {
      let (real, imaginary) = start
      for point in 0 ..< pointCount {
        let half = point < pointCount / 2 ? early : late
        real[point] = half[2 * (point % (pointCount / 2))]
        imaginary[point] = half[2 * (point % (pointCount / 2)) + 1]
      }
      return firstPassShort()
    }
    let each = quarter / chunkCount
    for point in stride(from: chunk * each, to: (chunk + 1) * each, by: 4) {
      writeFirst(
        point,
        Butterfly(
          a: deinterleave(early + 2 * point), b: deinterleave(early + 2 * (point + quarter)),
          c: deinterleave(late + 2 * point), d: deinterleave(late + 2 * (point + quarter))))
    }
  }

  /// A chunk of the first pass on the data in `start`.
  @_noLocks
  func first(_ chunk: Int) {
    guard quarter >= 4 else { return firstPassShort() }
    let (real, imaginary) = start
    let each = quarter / chunkCount
    for point in stride(from: chunk * each, to: (chunk + 1) * each, by: 4) {
      writeFirst(point, Butterfly(real + point, imaginary + point, apart: quarter))
    }
  }

  /// A chunk of a later pass.
  @_noLocks
  func next(_ pass: Int, _ chunk: Int) {
    let from = outputOfPass(by: pass - 1)
    let to = outputOfPass(by: pass)
    if pass == count - 1 { return finish(chunk, from, to) }
    // This many points belong to one butterfly's factors: a power of four.
    let octaves = 2 * pass
    let run = 1 << octaves
    var factor = factors + Self.factorCount * (quarter >= 4 ? quarter / 4 : quarter)
    for earlier in 1 ..< pass { factor += Self.factorCount * (quarter >> (2 * earlier)) }
    let each = quarter / chunkCount
    var point = chunk * each
    let end = point + each
    while point < end {
      let butterfly = point >> octaves
      let butterflyFactors = factor + Self.factorCount * butterfly
      let stop = min(end, (butterfly + 1) << octaves)
      // Unchecked address arithmetic: checks would be a large part of a short run.
      let target = to + 3 &* (butterfly << octaves)
      while point < stop {
        Butterfly(from + point, from + pointCount + point, apart: quarter)
          .write(butterflyFactors, target + point, target + pointCount + point, apart: run)
        point &+= 4
      }
    }
  }

  /// A chunk of the last pass, into a signal whose even frames are the imaginary parts.
  @_noLocks
  func last(_ chunk: Int, into signal: UnsafeMutablePointer<Float>) {
    let from = outputOfPass(by: count - 2)
    let half = pointCount / 2
    let each = quarter / chunkCount
    if pointCount.trailingZeroBitCount % 2 == 0 {
      for point in stride(from: chunk * each, to: (chunk + 1) * each, by: 4) {
        let sums = Butterfly(from + point, from + pointCount + point, apart: quarter).sums
        interleave(sums.0, signal + 2 * point)
        interleave(sums.1, signal + 2 * (point + quarter))
        interleave(sums.2, signal + 2 * (point + half))
        interleave(sums.3, signal + 2 * (point + half + quarter))
      }
    } else {
      for point in stride(from: 2 * chunk * each, to: 2 * (chunk + 1) * each, by: 4) {
        let (a, b) = (pair(from, point), pair(from, point + half))
        interleave((a.0 + b.0, a.1 + b.1), signal + 2 * point)
        interleave((a.0 - b.0, a.1 - b.1), signal + 2 * (point + half))
      }
    }
  }

  // MARK: - Parts of passes

  @_noLocks
  private func finish(
    _ chunk: Int, _ from: UnsafeMutablePointer<Float>, _ to: UnsafeMutablePointer<Float>
  ) {
    let half = pointCount / 2
    let each = quarter / chunkCount
    if pointCount.trailingZeroBitCount % 2 == 0 {
      for point in stride(from: chunk * each, to: (chunk + 1) * each, by: 4) {
        let sums = Butterfly(from + point, from + pointCount + point, apart: quarter).sums
        put(sums.0, to, point)
        put(sums.1, to, point + quarter)
        put(sums.2, to, point + half)
        put(sums.3, to, point + half + quarter)
      }
    } else {
      for point in stride(from: 2 * chunk * each, to: 2 * (chunk + 1) * each, by: 4) {
        let (a, b) = (pair(from, point), pair(from, point + half))
        put((a.0 + b.0, a.1 + b.1), to, point)
        put((a.0 - b.0, a.1 - b.1), to, point + half)
      }
    }
  }

  /// The four results of each lane go side by side.
  @_noLocks
  @inline(__always)
  private func writeFirst(_ point: Int, _ butterfly: Butterfly) {
    let turned = butterfly.twiddled(factors + Self.factorCount * (point / 4))
    realtime_transpose(turned.0.0, turned.1.0, turned.2.0, turned.3.0, rows + 4 * point)
    realtime_transpose(
      turned.0.1, turned.1.1, turned.2.1, turned.3.1, rows + pointCount + 4 * point)
  }

  /// The first pass of eight points, which are two butterflies.
  @_noLocks
  private func firstPassShort() {
    let (real, imaginary) = start
    for point in 0 ..< quarter {
      func lane(_ part: Int) -> (SIMD4<Float>, SIMD4<Float>) {
        let position = point + part * quarter
        return (SIMD4(repeating: real[position]), SIMD4(repeating: imaginary[position]))
      }
      let turned = Butterfly(a: lane(0), b: lane(1), c: lane(2), d: lane(3))
        .twiddled(factors + Self.factorCount * point)
      UnalignedSIMD.store(
        SIMD4(turned.0.0.x, turned.1.0.x, turned.2.0.x, turned.3.0.x), rows + 4 * point)
      UnalignedSIMD.store(
        SIMD4(turned.0.1.x, turned.1.1.x, turned.2.1.x, turned.3.1.x),
        rows + pointCount + 4 * point)
    }
  }

  @_noLocks
  @inline(__always)
  private func pair(_ row: UnsafePointer<Float>, _ point: Int) -> (SIMD4<Float>, SIMD4<Float>) {
    (UnalignedSIMD.load(row + point), UnalignedSIMD.load(row + pointCount + point))
  }

  @_noLocks
  @inline(__always)
  private func put(
    _ points: (SIMD4<Float>, SIMD4<Float>), _ row: UnsafeMutablePointer<Float>, _ point: Int
  ) {
    UnalignedSIMD.store(points.0, row + point)
    UnalignedSIMD.store(points.1, row + pointCount + point)
  }

  /// Even and odd frames of eight.
  @_noLocks
  @inline(__always)
  private func deinterleave(_ signal: UnsafePointer<Float>) -> (SIMD4<Float>, SIMD4<Float>) {
    let (low, high) = (UnalignedSIMD.load(signal), UnalignedSIMD.load(signal + 4))
    return (realtime_evens(low, high), realtime_odds(low, high))
  }

  @_noLocks
  @inline(__always)
  private func interleave(
    _ points: (SIMD4<Float>, SIMD4<Float>), _ signal: UnsafeMutablePointer<Float>
  ) {
    let (odd, even) = points
    UnalignedSIMD.store(realtime_zip_low(even, odd), signal)
    UnalignedSIMD.store(realtime_zip_high(even, odd), signal + 4)
  }
}
