// ChannelBuffers.swift: a view of planar audio memory with another owner. SPDX-License-Identifier:
// MIT

/// One buffer of samples for each channel, at addresses that stay the same for the life of their owner.
///
/// Copying the view does not copy samples, and does not keep the owner alive.
package struct ChannelBuffers: BitwiseCopyable {
  /// The first sample of each channel.
  package let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// The number of channels, at least 0.
  package let channelCount: Int

  /// Views the channels of a buffer, which must outlive the view. [main]
  package init(_ buffer: borrowing PlanarBuffer) {
    channels = buffer.channels
    channelCount = buffer.channelCount
  }

  /// The first samples of all channels, in a list. [main]
  package var pointers: [UnsafeMutablePointer<Float>] { (0 ..< channelCount).map { channels[$0] } }

  /// The first sample of a channel. [any]
  package subscript(channel: Int) -> UnsafeMutablePointer<Float> {
    @_noLocks get { channels[channel] }
  }
}
