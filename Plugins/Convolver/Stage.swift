// Stage.swift: the part of a convolution with one block length. SPDX-License-Identifier: MIT
//
// Uniformly partitioned convolution, overlap and save: each block of the input is transformed once,
// multiplied by the spectrum of each partition of the response, summed, and transformed back once. This work
// is divided into units of about equal cost, which are spread evenly over the ticks of the next block. The
// result is output one block later still, so such a stage starts at frame 2 L of the response. Only the first
// stage, whose block is one tick, does all work at once and starts at frame L.

import ModuleABI
import ModuleKit

/// Frames between two ticks, at which stages go on.
let tickFrames = 64

/// One partition length of a convolution with two inputs and two outputs.
struct Stage {
  /// Frames of a block and of a partition.
  let length: Int
  /// The response's frame with which the first partition starts.
  let offset: Int
  /// The maximum number of partitions.
  let partitionCount: Int
  let transform: FourierTransform
  private let isImmediate: Bool
  private let pathCount: Int
  private let rowCount: Int
  // Three blocks of each input: one being filled, the last two transformed.
  private let input: UnsafeMutablePointer<Float>
  // Pairs of arrays: of each input's last blocks, of each channel of the response, of each output.
  private let inputSpectra: UnsafeMutablePointer<Float>
  private let responseSpectra: UnsafeMutablePointer<Float>
  private let sums: UnsafeMutablePointer<Float>
  // Two of each output, one of which is being played; only the second half of each is used.
  private let results: UnsafeMutablePointer<Float>
  // Running state.
  private var collected = 0  // which of the three blocks
  private var newest = 0  // the index of the input's newest spectrum
  private var activeResult = 0  // which of the results
  private var tick = 0
  private var done = 0  // units of this block
  private var activeCount = 0  // partitions that are not silent

  /// Bins that a unit multiplies, at most.
  private static let binsInUnit = 2_048

  /// Creates a silent stage. [main]
  ///
  /// - Parameters:
  ///   - length: a power of two, at least a tick.
  ///   - offset: twice the length, or the length if that is a tick.
  ///   - partitionCount: 1 or more.
  ///   - pathCount: 2 from each input to its own output, 4 from each to both.
  ///   - rowCount: the channels of the response; 1 serves both of two paths.
  init(length: Int, offset: Int, partitionCount: Int, pathCount: Int, rowCount: Int) {
    self.length = length
    self.offset = offset
    self.partitionCount = partitionCount
    self.pathCount = pathCount
    self.rowCount = rowCount
    isImmediate = length == tickFrames
    transform = FourierTransform(size: 2 * length)
    input = .allocate(capacity: 6 * length)
    inputSpectra = .allocate(capacity: 4 * length * partitionCount)
    responseSpectra = .allocate(capacity: 2 * length * partitionCount * rowCount)
    sums = .allocate(capacity: 4 * length)
    results = .allocate(capacity: 8 * length)
    clear()
  }

  func free() {
    transform.free()
    input.deallocate()
    inputSpectra.deallocate()
    responseSpectra.deallocate()
    sums.deallocate()
    results.deallocate()
  }

  /// Clears the signal state, not the response.
  @_noLocks
  mutating func clear() {
    input.update(repeating: 0, count: 6 * length)
    inputSpectra.update(repeating: 0, count: 4 * length * partitionCount)
    sums.update(repeating: 0, count: 4 * length)
    results.update(repeating: 0, count: 8 * length)
    collected = 0
    newest = 0
    activeResult = 0
    tick = 0
    done = 0
  }

  // MARK: - The response

  /// Sets how many partitions are used; the others count as silent.
  @_noLocks
  mutating func use(partitions count: Int) { activeCount = min(count, partitionCount) }

  /// Runs one step of the transform of a partition, whose two halves are its frames and zeros.
  @_noLocks
  func build(
    step: Int, row: Int, partition: Int, _ frames: UnsafePointer<Float>,
    _ zeros: UnsafePointer<Float>
  ) {
    let real = responseSpectra + 2 * length * (row * partitionCount + partition)
    transform.forward(step: step, frames, zeros, real, real + length)
  }

  // MARK: - Ticks

  /// Takes the next frames of both inputs, and advances.
  @_noLocks
  mutating func advance(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>) {
    let position = collected * length + tick * tickFrames
    copy(left, input + position)
    copy(right, input + 3 * length + position)
    tick += 1
    if isImmediate { collected = (collected + 1) % 3 }
    let due = unitCount * tick * tickFrames / length
    while done < due {
      run(unit: done)
      done += 1
    }
    guard tick * tickFrames == length else { return }
    if !isImmediate { collected = (collected + 1) % 3 }
    newest = newest + 1 == partitionCount ? 0 : newest + 1
    activeResult = 1 - activeResult
    tick = 0
    done = 0
  }

  /// Adds the output until the next tick.
  @_noLocks
  func add(to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>) {
    let position = 2 * length * activeResult + length + tick * tickFrames
    sum(results + position, left)
    sum(results + 4 * length + position, right)
  }

  @_noLocks
  @inline(__always)
  private func copy(_ from: UnsafePointer<Float>, _ to: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: tickFrames * 4)
  }

  @_noLocks
  @inline(__always)
  private func sum(_ from: UnsafePointer<Float>, _ to: UnsafeMutablePointer<Float>) {
    for frame in stride(from: 0, to: tickFrames, by: 4) {
      UnalignedSIMD.store(
        UnalignedSIMD.load(to + frame) + UnalignedSIMD.load(from + frame), to + frame)
    }
  }

  // MARK: - Units

  private var chunkCount: Int {
    @_noLocks get { max(1, length / Self.binsInUnit) }
  }

  /// Pairs of partitions of one path.
  private var pairCount: Int {
    @_noLocks get { (activeCount + 1) / 2 }
  }

  private var unitCount: Int {
    @_noLocks get {
      activeCount == 0 ? 0 : 4 * transform.stepCount + pathCount * pairCount * chunkCount
    }
  }

  /// Runs the inputs' transforms, then the products, then the outputs' transforms.
  @_noLocks
  private func run(unit: Int) {
    let steps = transform.stepCount
    let products = pathCount * pairCount * chunkCount
    if unit < 2 * steps {
      forward(unit / steps, step: unit % steps)
    } else if unit < 2 * steps + products {
      let position = (unit - 2 * steps) % (pairCount * chunkCount)
      multiply(
        path: (unit - 2 * steps) / (pairCount * chunkCount), partition: 2 * (position % pairCount),
        chunk: position / pairCount)
    } else {
      let rest = unit - 2 * steps - products
      let output = rest / steps
      let sum = sums + 2 * length * output
      transform.inverse(
        step: rest % steps, sum, sum + length,
        results + 4 * length * output + 2 * length * (1 - activeResult))
    }
  }

  @_noLocks
  private func forward(_ channel: Int, step: Int) {
    let blocks = input + 3 * length * channel
    let real = spectrum(channel, newest)
    transform.forward(
      step: step, blocks + length * ((collected + 1) % 3), blocks + length * ((collected + 2) % 3),
      real, real + length)
  }

  @_noLocks
  @inline(__always)
  private func spectrum(_ channel: Int, _ slot: Int) -> UnsafeMutablePointer<Float> {
    inputSpectra + 2 * length * (channel * partitionCount + slot)
  }

  /// Adds the products of two partitions; a path's input and output follow from its number.
  @_noLocks
  private func multiply(path: Int, partition: Int, chunk: Int) {
    // Paths in the order of the outputs: left to left, right to left, left to right, right to right.
    let output = pathCount == 4 ? path / 2 : path
    let channel = path % 2
    let row = pathCount == 4 ? 2 * channel + output : min(path, rowCount - 1)
    let sum = sums + 2 * length * output
    let bins = length / chunkCount
    let begin = chunk * bins
    if partition == 0, pathCount == 2 || channel == 0 {
      (sum + begin).update(repeating: 0, count: bins)
      (sum + length + begin).update(repeating: 0, count: bins)
    }
    let responses = responseSpectra + 2 * length * (row * partitionCount + partition)
    let slot = newest - partition
    let first = spectrum(channel, slot < 0 ? slot + partitionCount : slot)
    let earlier = slot < 1 ? slot - 1 + partitionCount : slot - 1
    let (real, imaginary) = (sum[0], sum[length])
    let hasTwo = partition + 1 < activeCount
    if hasTwo {
      addProducts(
        sum + begin, first + begin, responses + begin, spectrum(channel, earlier) + begin,
        responses + 2 * length + begin, bins)
    } else {
      addProduct(sum + begin, first + begin, responses + begin, bins)
    }
    guard chunk == 0 else { return }
    // The first and the last bin share a position, and are real.
    sum[0] = real + first[0] * responses[0]
    sum[length] = imaginary + first[length] * responses[length]
    guard hasTwo else { return }
    let (second, response) = (spectrum(channel, earlier), responses + 2 * length)
    sum[0] += second[0] * response[0]
    sum[length] += second[length] * response[length]
  }

  @_noLocks
  @inline(__always)
  private func addProduct(
    _ sum: UnsafeMutablePointer<Float>, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
    _ count: Int
  ) {
    for bin in stride(from: 0, to: count, by: 4) {
      let (aReal, aImaginary) = (UnalignedSIMD.load(a + bin), UnalignedSIMD.load(a + length + bin))
      let (bReal, bImaginary) = (UnalignedSIMD.load(b + bin), UnalignedSIMD.load(b + length + bin))
      let real = UnalignedSIMD.load(sum + bin) + (aReal * bReal - aImaginary * bImaginary)
      let imaginary =
        UnalignedSIMD.load(sum + length + bin) + (aReal * bImaginary + aImaginary * bReal)
      UnalignedSIMD.store(real, sum + bin)
      UnalignedSIMD.store(imaginary, sum + length + bin)
    }
  }

  @_noLocks
  @inline(__always)
  private func addProducts(
    _ sum: UnsafeMutablePointer<Float>, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
    _ c: UnsafePointer<Float>, _ d: UnsafePointer<Float>, _ count: Int
  ) {
    for bin in stride(from: 0, to: count, by: 4) {
      let (aReal, aImaginary) = (UnalignedSIMD.load(a + bin), UnalignedSIMD.load(a + length + bin))
      let (bReal, bImaginary) = (UnalignedSIMD.load(b + bin), UnalignedSIMD.load(b + length + bin))
      var real = UnalignedSIMD.load(sum + bin) + (aReal * bReal - aImaginary * bImaginary)
      var imaginary =
        UnalignedSIMD.load(sum + length + bin) + (aReal * bImaginary + aImaginary * bReal)
      let (cReal, cImaginary) = (UnalignedSIMD.load(c + bin), UnalignedSIMD.load(c + length + bin))
      let (dReal, dImaginary) = (UnalignedSIMD.load(d + bin), UnalignedSIMD.load(d + length + bin))
      real += cReal * dReal - cImaginary * dImaginary
      imaginary += cReal * dImaginary + cImaginary * dReal
      UnalignedSIMD.store(real, sum + bin)
      UnalignedSIMD.store(imaginary, sum + length + bin)
    }
  }
}
