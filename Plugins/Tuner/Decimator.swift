// Decimator.swift: as few frames as pitches up to 5 kHz need. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Outputs every n-th frame of a low-passed signal, at 20 kHz or slightly more.
///
/// A sinc with a Kaiser window, ten taps for each frame that is dropped: aliases below a quarter of the new
/// rate are 70 dB down.
struct Decimator {
  /// The number of input frames per output frame.
  let factor: Int
  private let taps: UnsafeMutablePointer<Float>
  // Stored twice, so that the last ones are always contiguous.
  private let history: UnsafeMutablePointer<Float>
  private let tapCount: Int
  private var position = 0
  private var waited = 0

  init(sampleRateHz: Double) {
    factor = max(1, Int(sampleRateHz / 20_000))
    tapCount = factor == 1 ? 4 : (10 * factor + 3) / 4 * 4
    taps = .allocate(capacity: tapCount)
    history = .allocate(capacity: 2 * tapCount)
    var sum = 0.0
    for tap in 0 ..< tapCount {
      let distance = Double(tap) - Double(tapCount - 1) / 2
      let angle = Double.pi * distance / Double(factor)
      let edge = 2 * distance / Double(tapCount)
      let weight = Kaiser.window(edge, beta: 6.8) * realtime_sin(angle) / angle
      taps[tap] = Float(weight)
      sum += weight
    }
    for tap in 0 ..< tapCount { taps[tap] /= Float(sum) }
    clear()
  }

  func free() {
    taps.deallocate()
    history.deallocate()
  }

  @_noLocks
  mutating func clear() {
    history.update(repeating: 0, count: 2 * tapCount)
    position = 0
    waited = 0
  }

  /// Adds an input frame; returns an output frame every n-th time, otherwise nil.
  @_noLocks
  @inline(__always)
  mutating func next(_ sample: Float) -> Float? {
    if factor == 1 { return sample }
    history[position] = sample
    history[position + tapCount] = sample
    position = position + 1 == tapCount ? 0 : position + 1
    waited += 1
    guard waited == factor else { return nil }
    waited = 0
    var sum = SIMD4<Float>.zero
    for tap in stride(from: 0, to: tapCount, by: 4) {
      sum += UnalignedSIMD.load(history + position + tap) * UnalignedSIMD.load(taps + tap)
    }
    return UnalignedSIMD.sum(sum)
  }
}
