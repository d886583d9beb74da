// SampleFramesTests.swift: conversion of all channels of a device. SPDX-License-Identifier: MIT

import AudioDriver
import CSamples
import Testing

@testable import ALSADriver

/// Compares with the conversion of single channels, which another suite compares with the reference.
@Suite struct SampleFramesTests {
  enum Arrangement: CaseIterable {
    /// Frame by frame.
    case interleaved
    /// Frame by frame, with extra bytes after each frame.
    case padded
    /// Frame by frame, with the channels in reverse order.
    case reversed
    /// A buffer for each channel.
    case rows
  }

  private static let formats: [DeviceFormat] = [
    .u8, .s16, .u16BigEndian, .s20Packed, .s24Packed, .s32, .float, .float64BigEndian,
  ]
  private static let channelCounts = [1, 2, 3, 4, 5, 6, 8, 18, 33, 128, 130]
  private static let frameCounts = [0, 1, 3, 4, 7, 64, 300, 1_100]
  private static let firstFrame = 3
  /// Frames of the device that are skipped.
  private static let deviceFrame = 2

  /// A device's memory, and the position of its channels.
  private struct Device {
    let bytes: [UInt8]
    let offsets: [Int]
    let stride: Int

    init(
      _ format: DeviceFormat, _ arrangement: Arrangement, channels: Int, frames: Int,
      _ source: inout SampleSource
    ) {
      let width = format.byteCount
      stride =
        switch arrangement {
        case .interleaved, .reversed: channels * width
        case .padded: channels * width + 3
        case .rows: width
        }
      // Not aligned, because memory of three-byte samples cannot be.
      offsets = (0 ..< channels).map { channel in
        switch arrangement {
        case .interleaved, .padded: 1 + channel * width
        case .reversed: 1 + (channels - 1 - channel) * width
        case .rows: 1 + channel * (frames * width + 5)
        }
      }
      bytes = source.bytes(1 + channels * (frames * (width + 3) + 5) + 16)
    }

    /// Calls a closure with the device, whose memory is at `base`, and the channel buffers.
    func withFrames(
      _ format: DeviceFormat, _ base: UnsafeMutableRawPointer,
      _ rows: UnsafePointer<UnsafeMutablePointer<Float>?>,
      dither: UnsafeMutablePointer<csamples_dither>? = nil,
      _ body: (UnsafePointer<csamples_frames>) -> Void
    ) {
      channels(base).withUnsafeBufferPointer { places in
        guard let first = places.baseAddress else { return }
        var frames = csamples_frames(
          format: format.code, channel_count: UInt32(places.count), channels: first, rows: rows,
          dither: dither)
        body(&frames)
      }
    }

    func channels(_ base: UnsafeMutableRawPointer) -> [csamples_channel] {
      offsets.map { offset in
        csamples_channel(
          first: (base + offset).assumingMemoryBound(to: UInt8.self), stride: UInt32(stride))
      }
    }
  }

  /// The channels that have a buffer: all, most, few.
  private static func isUsed(_ channel: Int, _ variant: Int) -> Bool {
    switch variant {
    case 0: true
    case 1: channel % 3 != 1
    default: channel % 5 == 1
    }
  }

  @Test(arguments: formats, Arrangement.allCases)
  func `frames are read like each channel separately`(
    format: DeviceFormat, arrangement: Arrangement
  ) {
    var source = SampleSource(seed: 3)
    for (index, channels) in Self.channelCounts.enumerated() {
      for (number, frames) in Self.frameCounts.enumerated() where frames * channels < 30_000 {
        let variant = (index + number) % 3
        let device = Device(
          format, arrangement, channels: channels, frames: Self.deviceFrame + frames, &source)
        var memory = device.bytes
        let room = Self.firstFrame + frames + 1
        var together = [Float](repeating: 7, count: channels * room)
        var alone = together
        memory.withUnsafeMutableBytes { bytes in
          guard let base = bytes.baseAddress else { return }
          let places = device.channels(base)
          Self.withBuffers(&together, room, variant, channels) { rows in
            device.withFrames(format, base, rows) { all in
              csamples_read_frames(
                all, UInt32(Self.deviceFrame), UInt32(Self.firstFrame), UInt32(frames))
            }
          }
          Self.withBuffers(&alone, room, variant, channels) { rows in
            for channel in 0 ..< channels {
              guard let row = rows[channel] else { continue }
              csamples_read(
                format.code, places[channel].first + Self.deviceFrame * device.stride,
                UInt32(device.stride), row + Self.firstFrame, UInt32(frames))
            }
          }
        }
        #expect(
          together.map(\.bitPattern) == alone.map(\.bitPattern),
          "\(channels) channels, \(frames) frames, variant \(variant)")
      }
    }
  }

  @Test(arguments: formats, Arrangement.allCases)
  func `frames are written like each channel separately, with silence for missing channels`(
    format: DeviceFormat, arrangement: Arrangement
  ) {
    var source = SampleSource(seed: 4)
    for (index, channels) in Self.channelCounts.enumerated() {
      for (number, frames) in Self.frameCounts.enumerated() where frames * channels < 30_000 {
        let variant = (index + number) % 3
        let device = Device(
          format, arrangement, channels: channels, frames: Self.deviceFrame + frames, &source)
        let room = Self.firstFrame + frames + 1
        var sound = source.hard(channels * room, scale: 32_768)
        var together = device.bytes
        var alone = device.bytes
        var clippedTogether: UInt32 = 0
        var clippedAlone: UInt32 = 0
        Self.withBuffers(&sound, room, variant, channels) { rows in
          together.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            device.withFrames(format, base, rows) { all in
              clippedTogether = csamples_write_frames(
                all, UInt32(Self.deviceFrame), UInt32(Self.firstFrame), UInt32(frames))
            }
          }
          alone.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let begun = base + Self.deviceFrame * device.stride
            for (channel, place) in device.channels(begun).enumerated() {
              if let row = rows[channel] {
                clippedAlone += csamples_write(
                  format.code, row + Self.firstFrame, place.first, place.stride, UInt32(frames))
              } else {
                csamples_silence(format.code, place.first, place.stride, UInt32(frames))
              }
            }
          }
        }
        #expect(together == alone, "\(channels) channels, \(frames) frames, variant \(variant)")
        #expect(clippedTogether == clippedAlone)
      }
    }
  }

  @Test(arguments: [2, 8], [0, 1])
  func `dither depends neither on the layout of channels nor on the block lengths`(
    channels: Int, variant: Int
  ) {
    let frames = 1_000
    var source = SampleSource(seed: 5)
    var sound = source.sound(channels * frames)
    var results: [[Int16]] = []
    for (arrangement, part) in [(Arrangement.interleaved, 1_000), (.padded, 1_000), (.rows, 77)] {
      let device = Device(.s16, arrangement, channels: channels, frames: frames, &source)
      var memory = device.bytes
      var dither = csamples_dither_start(1)
      memory.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        Self.withBuffers(&sound, frames, variant, channels) { rows in
          device.withFrames(.s16, base, rows, dither: &dither) { all in
            for first in Swift.stride(from: 0, to: frames, by: part) {
              _ = csamples_write_frames(
                all, UInt32(first), UInt32(first), UInt32(min(part, frames - first)))
            }
          }
        }
      }
      results.append(
        (0 ..< channels * frames).map { index in
          let place = device.offsets[index % channels] + index / channels * device.stride
          return Int16(bitPattern: UInt16(memory[place]) | UInt16(memory[place + 1]) << 8)
        })
      #expect(dither.next == csamples_dither_start(1).next &+ UInt32(channels * frames))
    }
    #expect(results[1] == results[0])
    #expect(results[2] == results[0])
  }

  @Test(arguments: formats, Arrangement.allCases)
  func `frames are silenced, and other frames do not change`(
    format: DeviceFormat, arrangement: Arrangement
  ) {
    var source = SampleSource(seed: 6)
    for (channels, frames) in [(1, 64), (2, 64), (5, 7)] {
      let device = Device(format, arrangement, channels: channels, frames: frames + 3, &source)
      var together = device.bytes
      var alone = device.bytes
      let rows = [UnsafeMutablePointer<Float>?](repeating: nil, count: channels)
      rows.withUnsafeBufferPointer { rows in
        together.withUnsafeMutableBytes { bytes in
          guard let base = bytes.baseAddress, let rows = rows.baseAddress else { return }
          device.withFrames(format, base, rows) { all in
            csamples_silence_frames(all, UInt32(Self.deviceFrame), UInt32(frames))
          }
        }
      }
      alone.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        for place in device.channels(base + Self.deviceFrame * device.stride) {
          csamples_silence(format.code, place.first, place.stride, UInt32(frames))
        }
      }
      #expect(together == alone)
      #expect(together != device.bytes)
    }
  }

  private static func withBuffers(
    _ samples: inout [Float], _ room: Int, _ variant: Int, _ channels: Int,
    _ body: (UnsafePointer<UnsafeMutablePointer<Float>?>) -> Void
  ) {
    samples.withUnsafeMutableBufferPointer { samples in
      let rows = (0 ..< channels).map { channel in
        isUsed(channel, variant) ? samples.baseAddress.map { $0 + channel * room } : nil
      }
      rows.withUnsafeBufferPointer { rows in
        if let base = rows.baseAddress { body(base) }
      }
    }
  }
}
