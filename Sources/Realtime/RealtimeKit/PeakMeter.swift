// PeakMeter.swift: the highest level of each channel, read without disturbing the audio. SPDX-License-Identifier: MIT

import Synchronization

/// The sample peak of each channel since it was last taken.
///
/// The render thread writes it, one other thread takes it. A value that is not finite is shown as
/// infinity, so that a fault is visible.
package struct PeakMeter: ~Copyable {
  /// The number of channels.
  package let channelCount: Int
  private let peaks: UnsafeMutablePointer<Atomic<UInt32>>

  /// A meter that reads 0. [main]
  package init(channelCount: Int) {
    self.channelCount = channelCount
    peaks = .allocate(capacity: max(1, channelCount))
    for channel in 0 ..< channelCount { (peaks + channel).initialize(to: Atomic(0)) }
  }

  deinit {
    peaks.deinitialize(count: channelCount)
    peaks.deallocate()
  }

  /// Measures the first `frameCount` frames of each channel, and returns the highest level among
  /// them; levels above a ceiling are not shown. [render]
  @_noLocks @discardableResult
  package func measure(
    _ buffer: borrowing PlanarBuffer, _ frameCount: Int, upTo ceiling: Float = .infinity
  ) -> Float {
    var highest: UInt32 = 0
    for channel in 0 ..< min(channelCount, buffer.channelCount) {
      let bits = Self.peak(buffer[channel], frameCount).bitPattern
      // Floats of one sign order as their bit patterns do. One writer: load and store suffice, and
      // a peak taken in between is merely reported twice.
      if bits > peaks[channel].load(ordering: .relaxed), bits <= ceiling.bitPattern {
        peaks[channel].store(bits, ordering: .relaxed)
      }
      highest = max(highest, bits)
    }
    return Float(bitPattern: highest)
  }

  /// Returns a channel's peak, linear, 1 being full scale, and starts again from 0. [any one thread]
  package func take(_ channel: Int) -> Float {
    Float(bitPattern: peaks[channel].exchange(0, ordering: .relaxed))
  }

  /// Returns the greatest magnitude of `count` samples; infinity if one is NaN. [any]
  @_noLocks
  package static func peak(_ samples: UnsafePointer<Float>, _ count: Int) -> Float {
    // Compares magnitudes as integers without the sign bit, so that NaN is greater than any number.
    let raw = UnsafeRawPointer(samples)
    let mask = SIMD8<UInt32>(repeating: 0x7fff_ffff)
    // Signed, as the vectors that every x86-64 has compare no other integers.
    var highest = SIMD8<Int32>(repeating: 0)
    var frame = 0
    while frame + 8 <= count {
      let bits = raw.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD8<UInt32>.self) & mask
      let signed = SIMD8<Int32>(truncatingIfNeeded: bits)
      highest.replace(with: signed, where: signed .> highest)
      frame &+= 8
    }
    var peak = UInt32(bitPattern: highest.max())
    while frame < count {
      peak = max(peak, samples[frame].bitPattern & 0x7fff_ffff)
      frame &+= 1
    }
    return Float(bitPattern: min(peak, Float.infinity.bitPattern))
  }
}
