// PCMStream.swift: one direction of an open device, for the audio thread. SPDX-License-Identifier:
// MIT

import AudioDriver
import CALSA
import CSamples
import Glibc

/// One direction of an open device: plain data.
///
/// The PCM has another owner.
struct PCMStream: BitwiseCopyable {
  /// ALSA's handle.
  let handle: OpaquePointer
  /// Whether even a query of the available frames may hang, as in an alsa-lib plugin.
  let isWatched: Bool
  /// Whether the memory of the device is mapped.
  let isMapped: Bool
  /// Whether the channels are interleaved.
  let isInterleaved: Bool
  /// Whether `copy` is cleared before each read, as the device may not write to it.
  let clearsCopy: Bool
  let bufferFrames: Int
  /// The frames in the playback buffer at the start, which is also the maximum.
  let filledFrames: Int
  /// The frames of the playback buffer that stay free.
  var spareFrames: Int { @_noLocks get { bufferFrames &- filledFrames } }
  /// The channels: their format, their addresses, and their channel buffers, NULL for unused
  /// channels.
  ///
  /// Mapped memory is located on first access.
  let frames: UnsafeMutablePointer<csamples_frames>
  /// The address of each channel in `frames`; for copying access modes, in `copy`.
  let channels: UnsafeMutablePointer<csamples_channel>
  /// Capture buffers without a channel: silent ones, and second buffers of a channel that is used
  /// twice.
  let copies: UnsafeMutablePointer<ChannelFill>
  let copyCount: Int
  /// The index of this direction's first descriptor in the poll set, and their number.
  var firstDescriptor = 0
  var descriptorCount = 0
  /// The capacity of `copy`, in frames, for copying access modes.
  let copyFrames: Int
  let copy: UnsafeMutableRawPointer
  /// The planar buffers of `copy`, one for each channel, as ALSA requires.
  let copyBuffers: UnsafeMutablePointer<UnsafeMutableRawPointer>

  /// A channel buffer that is filled from another one, or with silence.
  struct ChannelFill: BitwiseCopyable {
    let from: UnsafeMutablePointer<Float>?
    let to: UnsafeMutablePointer<Float>
  }

  /// Allocates memory for transfers of `periodFrames` frames. [main]
  ///
  /// `rows` has the channel buffer of each used channel, in their order; nil for none.
  init(
    _ side: Negotiation.NegotiatedStream, rows used: [UnsafeMutablePointer<Float>?],
    periodFrames: Int
  ) {
    let count = side.channelCount
    let bytes = side.format.byteCount
    let channelStrideBytes = periodFrames * bytes
    handle = side.pcm.handle
    isWatched = !side.pcm.isHardware
    isMapped = side.access.isMapped
    isInterleaved = side.access.isInterleaved
    clearsCopy = side.pcm.direction == .capture && side.pcm.lacksClock
    bufferFrames = side.bufferFrames
    filledFrames = side.filledFrames
    let (rows, copies, copyCount) = Self.assignBuffers(
      used, on: side.usedChannels, of: count, areSilent: side.pcm.capturesNothing)
    self.copies = copies
    self.copyCount = copyCount
    copyFrames = periodFrames
    copy = .allocate(byteCount: count * channelStrideBytes, alignment: 64)
    memset(copy, 0, count * channelStrideBytes)
    copyBuffers = .allocate(capacity: count)
    channels = .allocate(capacity: count)
    let dither: UnsafeMutablePointer<csamples_dither>? =
      side.isDithered ? .allocate(capacity: 1) : nil
    dither?.initialize(to: csamples_dither_start(UInt32(count)))
    frames = .allocate(capacity: 1)
    frames.initialize(
      to: csamples_frames(
        format: side.format.code, channel_count: UInt32(count), channels: channels, rows: rows,
        dither: dither))
    for channel in 0 ..< count {
      let first = copy + channel * (isInterleaved ? bytes : channelStrideBytes)
      (copyBuffers + channel).initialize(to: first)
      (channels + channel).initialize(
        to: csamples_channel(
          first: first.assumingMemoryBound(to: UInt8.self),
          stride: UInt32(isInterleaved ? count * bytes : bytes)))
    }
  }

  /// Gives each existing channel its channel buffer; silent channels are cleared instead of converted.
  private static func assignBuffers(
    _ used: [UnsafeMutablePointer<Float>?], on channels: [Int], of count: Int, areSilent: Bool
  ) -> (UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, UnsafeMutablePointer<ChannelFill>, Int)
  {
    let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>?>.allocate(capacity: count)
    rows.initialize(repeating: nil, count: count)
    var further: [ChannelFill] = []
    for (row, channel) in zip(used, channels) {
      guard let row else { continue }
      if areSilent || channel >= count {
        // The channel is silent as well if a device has returned with fewer channels.
        further.append(ChannelFill(from: nil, to: row))
      } else if let first = rows[channel] {
        further.append(ChannelFill(from: first, to: row))
      } else {
        rows[channel] = row
      }
    }
    let copies = UnsafeMutablePointer<ChannelFill>.allocate(capacity: max(1, further.count))
    for (index, copy) in further.enumerated() { (copies + index).initialize(to: copy) }
    return (rows, copies, further.count)
  }

  /// Sets the position in the poll set; returns the number of descriptors. [main]
  mutating func countDescriptors(from first: Int) -> Int {
    firstDescriptor = first
    descriptorCount = Int(snd_pcm_poll_descriptors_count(handle))
    return descriptorCount
  }

  /// Writes its descriptors into the poll set, and moves itself to a fixed address. [main]
  func allocated(among descriptors: UnsafeMutablePointer<pollfd>) -> UnsafePointer<PCMStream> {
    snd_pcm_poll_descriptors(handle, descriptors + firstDescriptor, UInt32(descriptorCount))
    let memory = UnsafeMutablePointer<PCMStream>.allocate(capacity: 1)
    memory.initialize(to: self)
    return UnsafePointer(memory)
  }

  /// Frees the memory. [main]
  func free() {
    frames.pointee.rows.deallocate()
    frames.pointee.dither?.deallocate()
    frames.deallocate()
    channels.deallocate()
    copies.deallocate()
    copy.deallocate()
    copyBuffers.deallocate()
  }
}
