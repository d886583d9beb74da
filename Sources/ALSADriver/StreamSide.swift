// StreamSide.swift: one direction of one open device, as the audio thread sees it. SPDX-License-Identifier: MIT

import CALSA
import CSamples
import Glibc

/// Plain data; the PCM is owned elsewhere.
struct StreamSide: BitwiseCopyable {
  /// ALSA's handle.
  let handle: OpaquePointer
  /// Whether samples are moved in the device's own memory.
  let isMapped: Bool
  /// Whether all channels of a frame lie together.
  let isInterleaved: Bool
  let format: csamples_format
  let sampleByteCount: Int
  /// How many channels it was opened with.
  let channelCount: Int
  let bufferFrames: Int
  /// Frames that lie in the playback buffer at the start.
  let filledFrames: Int
  /// The engine's row of the first channel that is used; the next channels follow.
  let firstRow: Int
  /// Which of the device's channels are used, in the order of the rows.
  let usedChannels: UnsafeMutablePointer<Int>
  let usedChannelCount: Int
  /// The device's other channels.
  let idleChannels: UnsafeMutablePointer<Int>
  let idleChannelCount: Int
  /// Where this direction's descriptors begin in the poll set, and how many there are.
  var firstDescriptor = 0
  var descriptorCount = 0
  /// Where each channel lies in the part being moved; for the copying ways of access, in `copy`.
  let channels: UnsafeMutablePointer<calsa_channel>
  /// `copyFrames` frames of samples, for the copying ways of access.
  let copyFrames: Int
  let copy: UnsafeMutableRawPointer
  /// The rows of `copy`, one for each channel, as ALSA wants them.
  let rows: UnsafeMutablePointer<UnsafeMutableRawPointer>

  /// Gets memory for moving `periodFrames` frames at a time. [main]
  init(_ side: Negotiation.Side, firstRow: Int, periodFrames: Int) {
    let count = side.channelCount
    let bytes = side.format.byteCount
    let rowBytes = periodFrames * bytes
    handle = side.pcm.handle
    isMapped = side.access.isMapped
    isInterleaved = side.access.isInterleaved
    format = side.format.code
    sampleByteCount = bytes
    channelCount = count
    bufferFrames = side.bufferFrames
    filledFrames = side.filledFrames
    self.firstRow = firstRow
    // A device that came back with fewer channels leaves the rows of the others silent.
    (usedChannels, usedChannelCount) = Self.copied(side.usedChannels.map { $0 < count ? $0 : -1 })
    (idleChannels, idleChannelCount) = Self.copied(
      (0 ..< count).filter { !side.usedChannels.contains($0) })
    copyFrames = periodFrames
    copy = .allocate(byteCount: count * rowBytes, alignment: 64)
    memset(copy, 0, count * rowBytes)
    rows = .allocate(capacity: count)
    channels = .allocate(capacity: count)
    for channel in 0 ..< count {
      let first = copy + channel * (isInterleaved ? bytes : rowBytes)
      (rows + channel).initialize(to: first)
      (channels + channel).initialize(
        to: calsa_channel(
          first: first.assumingMemoryBound(to: UInt8.self),
          stride: UInt32(isInterleaved ? count * bytes : bytes)))
    }
  }

  /// Gives the memory back. [main]
  func free() {
    usedChannels.deallocate()
    idleChannels.deallocate()
    channels.deallocate()
    copy.deallocate()
    rows.deallocate()
  }

  private static func copied(_ list: [Int]) -> (UnsafeMutablePointer<Int>, Int) {
    let copy = UnsafeMutablePointer<Int>.allocate(capacity: max(1, list.count))
    for (index, value) in list.enumerated() { (copy + index).initialize(to: value) }
    return (copy, list.count)
  }
}
