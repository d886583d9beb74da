// PlanarBuffer.swift: audio memory, one row for each channel. SPDX-License-Identifier: MIT

import Glibc

/// Planar audio in one allocation, each channel on its own cache lines, zeroed when made.
///
/// Fixed in size: it is made before the audio starts and never grows. The pointers are valid as long
/// as the buffer lives.
package struct PlanarBuffer: ~Copyable {
  /// How many channels it holds, at least 0.
  package let channelCount: Int
  /// How many frames each channel holds.
  package let frameCapacity: Int
  /// The first sample of each channel.
  package let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let samples: UnsafeMutableRawPointer

  /// Creates silent buffers for `channelCount` channels of `frameCapacity` frames. [main]
  package init(channelCount: Int, frameCapacity: Int) {
    self.channelCount = channelCount
    self.frameCapacity = frameCapacity
    // 16 floats are a cache line of 64 bytes; the one more keeps rows from meeting in one cache set.
    let rowFrames = (frameCapacity + 15) / 16 * 16 + 16
    let byteCount = max(1, channelCount * rowFrames) * MemoryLayout<Float>.stride
    samples = .allocate(byteCount: byteCount, alignment: 64)
    memset(samples, 0, byteCount)
    channels = .allocate(capacity: max(1, channelCount))
    for channel in 0 ..< channelCount {
      let row = samples.advanced(by: channel * rowFrames * MemoryLayout<Float>.stride)
      (channels + channel).initialize(to: row.assumingMemoryBound(to: Float.self))
    }
  }

  deinit {
    channels.deallocate()
    samples.deallocate()
  }

  /// The first samples of all channels, in a list. [main]
  package var rows: [UnsafeMutablePointer<Float>] { (0 ..< channelCount).map { channels[$0] } }

  /// The first sample of a channel. [any]
  package subscript(channel: Int) -> UnsafeMutablePointer<Float> {
    @_noLocks get { channels[channel] }
  }
}
