// PeakTracker.swift: the sample peak of each channel of interleaved frames. SPDX-License-Identifier: MIT

import RealtimeKit

/// The highest magnitude of each channel; infinity after NaN or infinity.
package struct PeakTracker {
  /// The peak of each channel, linear, 1 being full scale.
  package private(set) var peaks: [Float]

  /// Creates a tracker without samples. [any]
  package init(channelCount: Int) {
    peaks = Array(repeating: 0, count: channelCount)
  }

  /// Takes interleaved frames into account. [any one thread]
  package mutating func measure(_ frames: UnsafePointer<Float>, frameCount: Int) {
    switch peaks.count {
    case 1: peaks[0] = unsafe max(peaks[0], PeakMeter.peak(frames, frameCount))
    case 2: unsafe measureStereo(frames, frameCount)
    default: unsafe measureAny(frames, frameCount)
    }
  }

  private mutating func measureStereo(_ frames: UnsafePointer<Float>, _ frameCount: Int) {
    // Magnitudes are compared as integers, so that NaN is greater than any number.
    let raw = unsafe UnsafeRawPointer(frames)
    let mask = SIMD8<UInt32>(repeating: 0x7fff_ffff)
    var highest = SIMD8<Int32>(repeating: 0)
    var frame = 0
    while frame + 4 <= frameCount {
      let bits = unsafe raw.loadUnaligned(fromByteOffset: frame &* 8, as: SIMD8<UInt32>.self) & mask
      let signed = SIMD8<Int32>(truncatingIfNeeded: bits)
      highest.replace(with: signed, where: signed .> highest)
      frame &+= 4
    }
    keep(highest.evenHalf.max(), 0)
    keep(highest.oddHalf.max(), 1)
    while frame < frameCount {
      unsafe keep(Int32(bitPattern: frames[2 &* frame].magnitude.bitPattern), 0)
      unsafe keep(Int32(bitPattern: frames[2 &* frame &+ 1].magnitude.bitPattern), 1)
      frame &+= 1
    }
  }

  private mutating func measureAny(_ frames: UnsafePointer<Float>, _ frameCount: Int) {
    let channelCount = peaks.count
    for channel in 0 ..< channelCount {
      var highest: Int32 = 0
      var next = unsafe frames + channel
      for _ in 0 ..< frameCount {
        highest = unsafe max(highest, Int32(bitPattern: next.pointee.bitPattern & 0x7fff_ffff))
        unsafe next += channelCount
      }
      keep(highest, channel)
    }
  }

  private mutating func keep(_ bits: Int32, _ channel: Int) {
    let magnitude = Float(bitPattern: UInt32(bitPattern: bits))
    peaks[channel] = max(peaks[channel], magnitude.isNaN ? .infinity : magnitude)
  }
}
