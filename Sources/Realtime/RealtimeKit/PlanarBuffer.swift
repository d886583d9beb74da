// PlanarBuffer.swift: planar audio memory. SPDX-License-Identifier: MIT

import Glibc

/// Planar audio in one allocation, each channel on separate cache lines, initialised to zero.
///
/// The size is fixed: it is created before the audio starts. The pointers are valid as long as the
/// buffer lives.
package struct PlanarBuffer: ~Copyable {
  /// The number of channels, at least 0.
  package let channelCount: Int
  /// The number of frames per channel.
  package let frameCapacity: Int
  /// The first sample of each channel.
  package let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let samples: UnsafeMutableRawPointer

  /// Creates silent buffers for `channelCount` channels of `frameCapacity` frames. [main]
  package init(channelCount: Int, frameCapacity: Int) {
    self.channelCount = channelCount
    self.frameCapacity = frameCapacity
    // 16 floats are a cache line of 64 bytes; an additional line prevents channels from competing
    // for the same cache set.
    let channelStrideFrames = (frameCapacity + 15) / 16 * 16 + 16
    let byteCount = max(1, channelCount * channelStrideFrames) * MemoryLayout<Float>.stride
    samples = .allocate(byteCount: byteCount, alignment: 64)
    memset(samples, 0, byteCount)
    channels = .allocate(capacity: max(1, channelCount))
    for channel in 0 ..< channelCount {
      let row = samples.advanced(by: channel * channelStrideFrames * MemoryLayout<Float>.stride)
      (channels + channel).initialize(to: row.assumingMemoryBound(to: Float.self))
    }
  }

  deinit {
    channels.deallocate()
    samples.deallocate()
  }

  /// The first samples of all channels, in a list. [main]
  package var pointers: [UnsafeMutablePointer<Float>] { (0 ..< channelCount).map { channels[$0] } }

  /// The first sample of a channel. [any]
  package subscript(channel: Int) -> UnsafeMutablePointer<Float> {
    @_noLocks get { channels[channel] }
  }
}
