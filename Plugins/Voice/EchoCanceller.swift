// EchoCanceller.swift: removes the loudspeaker's signal from the microphone's. SPDX-License-Identifier: MIT
//
// A partitioned filter in the frequency domain (J.-S. Soo and K. K. Pang, Multidelay Block Frequency Domain
// Adaptive Filter, IEEE Trans. ASSP 38 (2), 1990) that learns the path from the loudspeaker to the
// microphone. The learning rate must fall while somebody speaks. Here each bin of each partition has a Kalman
// filter's step, from the uncertainty of the path and the power of other signals in the microphone (G. Enzner
// and P. Vary, Frequency-Domain Adaptive Kalman Filter for Acoustic Echo Control in Hands-Free Telephones,
// Signal Processing 86 (6), 2006; F. Kuech, E. Mabande and G. Enzner, Voice-Space Architecture of the
// Partitioned-Block-Based Acoustic Echo Controller, ICASSP 2014).

import ModuleABI
import ModuleKit

/// An adaptive filter of a fifth of a second.
struct EchoCanceller {
  /// The expected power of the residual echo, for each bin.
  let residual: UnsafeMutablePointer<Float>
  private let hop: Int
  private let partitionCount: Int
  private let transform: FourierTransform
  // Spectra are pairs of arrays, real parts before imaginary parts.
  private let references: UnsafeMutablePointer<Float>  // of the last blocks, one for each partition
  private let path: UnsafeMutablePointer<Float>  // of each partition
  private let errorPower: UnsafeMutablePointer<Float>  // for each partition: the path's variance
  private let others: UnsafeMutablePointer<Float>  // the power of signals other than the echo
  private let spectrum: UnsafeMutablePointer<Float>
  private let signal: UnsafeMutablePointer<Float>
  private let before: UnsafeMutablePointer<Float>  // the reference's last block
  // Running state.
  private var newest = 0
  private var constrained = 0  // the partition whose turn it is
  private var silentCount: Int  // blocks for which the reference has been silent

  private static let seconds = 0.2
  /// The correlation of the path with itself one block later.
  private static let persistence: Float = 0.999
  private static let smoothing: Float = 0.9
  private static let constraintsInBlock = 4
  private static let minimumPower: Float = 1e-6

  init(hop: Int, sampleRateHz: Double) {
    self.hop = hop
    partitionCount = Int(Self.seconds * sampleRateHz) / hop + 1
    transform = FourierTransform(size: 2 * hop)
    residual = .allocate(capacity: hop)
    references = .allocate(capacity: 2 * hop * partitionCount)
    path = .allocate(capacity: 2 * hop * partitionCount)
    errorPower = .allocate(capacity: hop * partitionCount)
    others = .allocate(capacity: hop)
    spectrum = .allocate(capacity: 2 * hop)
    signal = .allocate(capacity: 2 * hop)
    before = .allocate(capacity: hop)
    silentCount = 0
    clear()
  }

  func free() {
    transform.free()
    residual.deallocate()
    references.deallocate()
    path.deallocate()
    errorPower.deallocate()
    others.deallocate()
    spectrum.deallocate()
    signal.deallocate()
    before.deallocate()
  }

  /// Forgets the path, too.
  @_noLocks
  mutating func clear() {
    residual.update(repeating: 0, count: hop)
    references.update(repeating: 0, count: 2 * hop * partitionCount)
    path.update(repeating: 0, count: 2 * hop * partitionCount)
    errorPower.update(repeating: 1, count: hop * partitionCount)
    others.update(repeating: 0, count: hop)
    spectrum.update(repeating: 0, count: 2 * hop)
    signal.update(repeating: 0, count: 2 * hop)
    before.update(repeating: 0, count: hop)
    newest = 0
    constrained = 0
    silentCount = partitionCount + 1
  }

  /// Takes a block of the reference, and removes its echo, and that of earlier blocks, from a block of the
  /// microphone.
  @_noLocks
  mutating func cancel(_ microphone: UnsafeMutablePointer<Float>, _ reference: UnsafePointer<Float>)
  {
    var loudest: Float = 0
    for frame in 0 ..< hop { loudest = max(loudest, abs(reference[frame])) }
    silentCount = loudest > 0 ? 0 : min(silentCount + 1, partitionCount + 1)
    // If nothing was played there is no echo, and nothing to learn.
    guard silentCount <= partitionCount else {
      residual.update(repeating: 0, count: hop)
      return
    }
    newest = newest == 0 ? partitionCount - 1 : newest - 1
    let row = references + 2 * hop * newest
    transform.forward(reference, after: before, row, hop)
    for frame in 0 ..< hop { before[frame] = reference[frame] }
    estimate()
    let scale = 1 / Float(2 * hop)
    for frame in 0 ..< hop {
      microphone[frame] -= signal[hop + frame] * scale
      signal[hop + frame] = microphone[frame]
      signal[frame] = 0
    }
    transform.forward(signal, spectrum, spectrum + hop)
    learn()
    for _ in 0 ..< min(Self.constraintsInBlock, partitionCount) { constrain() }
  }

  /// The spectrum of the reference that belongs to a partition.
  @_noLocks
  @inline(__always)
  private func reference(of partition: Int) -> UnsafeMutablePointer<Float> {
    let index = newest + partition
    return references + 2 * hop * (index < partitionCount ? index : index - partitionCount)
  }

  /// Writes the estimated echo into the second half of the signal.
  @_noLocks
  private func estimate() {
    spectrum.update(repeating: 0, count: 2 * hop)
    var (first, last) = (Float(0), Float(0))
    for partition in 0 ..< partitionCount {
      let (x, w) = (reference(of: partition), path + 2 * hop * partition)
      first += x[0] * w[0]
      last += x[hop] * w[hop]
      for bin in stride(from: 0, to: hop, by: 4) {
        let (a, b) = (UnalignedSIMD.load(x + bin), UnalignedSIMD.load(x + hop + bin))
        let (c, d) = (UnalignedSIMD.load(w + bin), UnalignedSIMD.load(w + hop + bin))
        UnalignedSIMD.store(UnalignedSIMD.load(spectrum + bin) + (a * c - b * d), spectrum + bin)
        UnalignedSIMD.store(
          UnalignedSIMD.load(spectrum + hop + bin) + (a * d + b * c), spectrum + hop + bin)
      }
    }
    // The first and the last bin are real, and in one element.
    spectrum[0] = first
    spectrum[hop] = last
    transform.inverse(spectrum, spectrum + hop, signal)
  }

  /// Corrects the path by the remaining error, each bin according to its uncertainty.
  @_noLocks
  private func learn() {
    residual.update(repeating: 0, count: hop)
    for partition in 0 ..< partitionCount {
      let (x, p) = (reference(of: partition), errorPower + hop * partition)
      for bin in stride(from: 0, to: hop, by: 4) {
        let (a, b) = (UnalignedSIMD.load(x + bin), UnalignedSIMD.load(x + hop + bin))
        let power =
          UnalignedSIMD.load(residual + bin) + 0.5 * UnalignedSIMD.load(p + bin) * (a * a + b * b)
        UnalignedSIMD.store(power, residual + bin)
      }
    }
    for bin in stride(from: 0, to: hop, by: 4) {
      let (a, b) = (UnalignedSIMD.load(spectrum + bin), UnalignedSIMD.load(spectrum + hop + bin))
      let power =
        UnalignedSIMD.load(others + bin) * Self.smoothing + (a * a + b * b) * (1 - Self.smoothing)
      UnalignedSIMD.store(power, others + bin)
    }
    let kept = Self.persistence
    for partition in 0 ..< partitionCount {
      let (x, w) = (reference(of: partition), path + 2 * hop * partition)
      let p = errorPower + hop * partition
      let ends = 0.5 * p[0] / (residual[0] + others[0] + Self.minimumPower)
      let first = w[0] + ends * x[0] * spectrum[0]
      let last = w[hop] + ends * x[hop] * spectrum[hop]
      for bin in stride(from: 0, to: hop, by: 4) {
        let (a, b) = (UnalignedSIMD.load(x + bin), UnalignedSIMD.load(x + hop + bin))
        let (c, d) = (UnalignedSIMD.load(spectrum + bin), UnalignedSIMD.load(spectrum + hop + bin))
        let variance = UnalignedSIMD.load(p + bin)
        let whole =
          UnalignedSIMD.load(residual + bin) + UnalignedSIMD.load(others + bin) + Self.minimumPower
        // Half of a block's frames are zeros, so only half of the error can be learned from.
        let step = 0.5 * variance / whole
        let real = UnalignedSIMD.load(w + bin) + step * (a * c + b * d)
        let imaginary = UnalignedSIMD.load(w + hop + bin) + step * (a * d - b * c)
        UnalignedSIMD.store(real, w + bin)
        UnalignedSIMD.store(imaginary, w + hop + bin)
        let known = 1 - 0.5 * step * (a * a + b * b)
        let change = (real * real + imaginary * imaginary) * (1 - kept)
        UnalignedSIMD.store(kept * known * variance + change, p + bin)
      }
      w[0] = first
      w[hop] = last
    }
  }

  /// Makes the path of one partition as short as a partition, which learning in the spectrum does not.
  @_noLocks
  private mutating func constrain() {
    let w = path + 2 * hop * constrained
    transform.inverse(w, w + hop, signal)
    let scale = 1 / Float(2 * hop)
    for frame in 0 ..< hop {
      signal[frame] *= scale
      signal[hop + frame] = 0
    }
    transform.forward(signal, w, w + hop)
    constrained = constrained + 1 == partitionCount ? 0 : constrained + 1
  }
}

extension FourierTransform {
  /// Transforms two blocks to a pair of arrays.
  @_noLocks
  fileprivate func forward(
    _ late: UnsafePointer<Float>, after early: UnsafePointer<Float>,
    _ rows: UnsafeMutablePointer<Float>, _ rowLength: Int
  ) {
    for step in 0 ..< stepCount { forward(step: step, early, late, rows, rows + rowLength) }
  }
}
