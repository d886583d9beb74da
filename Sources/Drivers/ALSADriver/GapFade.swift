// GapFade.swift: joins the audio before a gap to the audio after it. SPDX-License-Identifier: MIT
//
// Real-time code, except for its initialiser: nothing here allocates, frees, locks, throws or logs.

import RealtimeKit

/// A short crossfade from the last sample before a gap to the audio after it, on each channel.
///
/// Before an intended gap it fades to silence.
///
/// Audio after a gap begins anywhere in a wave. Without the fade it would click, and the click
/// would ring in every following reverb. While there are no gaps the samples are unchanged.
struct GapFade: ~Copyable {
  /// The length of the fade, in seconds: long enough not to click, short enough to lose little.
  private static let seconds = 0.005

  private let channelCount: Int
  /// The length of the fade, in frames.
  let length: Int
  private let last: UnsafeMutablePointer<Float>
  private var position: Int
  /// Whether the output fades to silence and stays silent.
  private var isClosing = false
  /// The length of the last block, in frames.
  private var lastCount = 0

  /// Creates a finished fade of `channelCount` channels. [main]
  init(channelCount: Int, sampleRateHz: Double) {
    self.channelCount = channelCount
    length = max(1, Int(Self.seconds * sampleRateHz))
    position = length
    last = .allocate(capacity: max(1, channelCount))
    last.initialize(repeating: 0, count: max(1, channelCount))
  }

  deinit {
    last.deallocate()
  }

  /// Marks the next block as the first after a gap; the buffer still contains the audio before the
  /// gap.
  @_noLocks
  mutating func begin(after buffer: ChannelBuffers) {
    // If a second gap interrupts a fade, the buffer contains its progress as well.
    for channel in 0 ..< channelCount {
      last[channel] = lastCount > 0 ? buffer[channel][lastCount &- 1] : 0
    }
    position = 0
    isClosing = false
  }

  /// Marks the next block as the first after silence.
  @_noLocks
  mutating func startFromSilence() {
    for channel in 0 ..< channelCount { last[channel] = 0 }
    position = 0
    isClosing = false
  }

  /// Fades the next block to silence; all blocks after it are silent.
  @_noLocks
  mutating func close() {
    position = 0
    isClosing = true
  }

  /// Smooths a block of at least one frame, if it is after a gap.
  @inline(__always)
  @_noLocks
  mutating func apply(to buffer: ChannelBuffers, _ frameCount: Int) {
    lastCount = frameCount
    if position < length || isClosing { smooth(buffer, frameCount) }
  }

  @inline(never)
  @_noLocks
  private mutating func smooth(_ buffer: ChannelBuffers, _ frameCount: Int) {
    if isClosing {
      fadeOut(buffer, frameCount)
    } else {
      fade(buffer, min(frameCount, length &- position))
    }
  }

  @_noLocks
  private mutating func fadeOut(_ buffer: ChannelBuffers, _ frameCount: Int) {
    for channel in 0 ..< channelCount {
      for frame in 0 ..< frameCount {
        buffer[channel][frame] *= Float(max(0, length &- position &- frame)) / Float(length)
      }
    }
    position = min(length, position &+ frameCount)
  }

  @_noLocks
  private mutating func fade(_ buffer: ChannelBuffers, _ frameCount: Int) {
    let step = 1 / Float(length)
    for channel in 0 ..< channelCount {
      let samples = buffer[channel]
      for frame in 0 ..< frameCount {
        let gain = Float(position &+ frame) * step
        samples[frame] = last[channel] + (samples[frame] - last[channel]) * gain
      }
    }
    position &+= frameCount
  }
}
