// PCMStream.swift: one direction of one open device, as the audio thread sees it. SPDX-License-Identifier: MIT

import AudioDriver
import CALSA
import CSamples
import Glibc

/// Plain data; the PCM is owned elsewhere.
struct PCMStream: BitwiseCopyable {
  /// ALSA's handle.
  let handle: OpaquePointer
  /// Whether even a look at how much there is may never come back, as in a plug-in of alsa-lib.
  let isWatched: Bool
  /// Whether samples are moved in the device's own memory.
  let isMapped: Bool
  /// Whether all channels of a frame lie together.
  let isInterleaved: Bool
  /// Whether `copy` is cleared before each read, as the device may not write to it.
  let clearsCopy: Bool
  let bufferFrames: Int
  /// Frames that lie in the playback buffer at the start, and at most.
  let filledFrames: Int
  /// Frames of the playback buffer that are left free, in a buffer of any size.
  var spareFrames: Int { @_noLocks get { bufferFrames &- filledFrames } }
  /// Its channels: their format, where each of them lies, and their rows, none for one that is not used.
  ///
  /// Mapped memory is located when it is first seen.
  let frames: UnsafeMutablePointer<csamples_frames>
  /// Where each channel lies, as `frames` has it; for the copying ways of access, in `copy`.
  let channels: UnsafeMutablePointer<csamples_channel>
  /// Rows of capture that no channel fills: silent ones, and second ones of a channel that has two.
  let copies: UnsafeMutablePointer<ChannelFill>
  let copyCount: Int
  /// Where this direction's descriptors begin in the poll set, and how many there are.
  var firstDescriptor = 0
  var descriptorCount = 0
  /// `copyFrames` frames of samples, for the copying ways of access.
  let copyFrames: Int
  let copy: UnsafeMutableRawPointer
  /// The rows of `copy`, one for each channel, as ALSA wants them.
  let copyRows: UnsafeMutablePointer<UnsafeMutableRawPointer>

  /// A row that is filled from another one, or with silence.
  struct ChannelFill: BitwiseCopyable {
    let from: UnsafeMutablePointer<Float>?
    let to: UnsafeMutablePointer<Float>
  }

  /// Gets memory for moving `periodFrames` frames at a time.
  ///
  /// `rows` has the row of each channel that is used, in their order, nil where there is none. [main]
  init(
    _ side: Negotiation.NegotiatedStream, rows used: [UnsafeMutablePointer<Float>?],
    periodFrames: Int
  ) {
    let count = side.channelCount
    let bytes = side.format.byteCount
    let rowBytes = periodFrames * bytes
    handle = side.pcm.handle
    isWatched = !side.pcm.isHardware
    isMapped = side.access.isMapped
    isInterleaved = side.access.isInterleaved
    clearsCopy = side.pcm.direction == .capture && side.pcm.lacksClock
    bufferFrames = side.bufferFrames
    filledFrames = side.filledFrames
    let (rows, copies, copyCount) = Self.place(
      used, on: side.usedChannels, of: count, areSilent: side.pcm.capturesNothing)
    self.copies = copies
    self.copyCount = copyCount
    copyFrames = periodFrames
    copy = .allocate(byteCount: count * rowBytes, alignment: 64)
    memset(copy, 0, count * rowBytes)
    copyRows = .allocate(capacity: count)
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
      let first = copy + channel * (isInterleaved ? bytes : rowBytes)
      (copyRows + channel).initialize(to: first)
      (channels + channel).initialize(
        to: csamples_channel(
          first: first.assumingMemoryBound(to: UInt8.self),
          stride: UInt32(isInterleaved ? count * bytes : bytes)))
    }
  }

  /// Gives each existing channel its channel buffer; silent channels are cleared instead of converted.
  private static func place(
    _ used: [UnsafeMutablePointer<Float>?], on channels: [Int], of count: Int, areSilent: Bool
  ) -> (UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, UnsafeMutablePointer<ChannelFill>, Int)
  {
    let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>?>.allocate(capacity: count)
    rows.initialize(repeating: nil, count: count)
    var further: [ChannelFill] = []
    for (row, channel) in zip(used, channels) {
      guard let row else { continue }
      if areSilent || channel >= count {
        // Or a device that came back with fewer channels.
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

  /// Takes its place in the poll set; returns how many descriptors it has. [main]
  mutating func countDescriptors(from first: Int) -> Int {
    firstDescriptor = first
    descriptorCount = Int(snd_pcm_poll_descriptors_count(handle))
    return descriptorCount
  }

  /// Puts its descriptors into the poll set, and itself at a fixed address. [main]
  func placed(among descriptors: UnsafeMutablePointer<pollfd>) -> UnsafePointer<PCMStream> {
    snd_pcm_poll_descriptors(handle, descriptors + firstDescriptor, UInt32(descriptorCount))
    let place = UnsafeMutablePointer<PCMStream>.allocate(capacity: 1)
    place.initialize(to: self)
    return UnsafePointer(place)
  }

  /// Gives the memory back. [main]
  func free() {
    frames.pointee.rows.deallocate()
    frames.pointee.dither?.deallocate()
    frames.deallocate()
    channels.deallocate()
    copies.deallocate()
    copy.deallocate()
    copyRows.deallocate()
  }
}
