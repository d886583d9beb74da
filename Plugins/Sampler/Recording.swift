// Recording.swift: a recording, with decimated copies for high keys. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// One or two channels at one rate, with room on both sides.
struct Level {
  /// The first frames; both are the same for a mono recording.
  let left: UnsafeMutablePointer<Float>
  let right: UnsafeMutablePointer<Float>
  /// Frames.
  let count: Int
  /// Silent frames before the first and after the last one, which a kernel may read.
  static let margin = 2 * Kernel.tapCount

  fileprivate init(count: Int, isStereo: Bool) {
    self.count = count
    let capacity = count + 2 * Self.margin
    func row() -> UnsafeMutablePointer<Float> {
      let memory = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
      memory.initialize(repeating: 0, count: capacity)
      return memory + Self.margin
    }
    left = row()
    right = isStereo ? row() : left
  }

  fileprivate func free() {
    (left - Self.margin).deallocate()
    if right != left { (right - Self.margin).deallocate() }
  }

  /// Returns the recording at half the rate, without aliasing.
  fileprivate func halved() -> Level {
    let (tapCount, length) = (40, 256)
    // The filter's delay, with one frame more before the first, in frames of the lower rate.
    let delay = tapCount / 2
    let filter = HalfBandDownsampler(
      tapCount: tapCount, stopbandDecibels: 100, maximumFrameCount: length)
    let frames = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: 2 * length)
    let half = Level(count: (count + 1) / 2, isStereo: left != right)
    var done = 0
    while done < half.count + delay {
      for index in 0 ..< 2 * length {
        let source = 2 * done + index - 1
        let isInside = source >= 0 && source < count
        frames[index] = isInside ? SIMD2(left[source], right[source]) : .zero
      }
      filter.render(frames, to: frames, frameCount: length)
      for index in 0 ..< length {
        let target = done + index - delay
        guard target >= 0, target < half.count else { continue }
        half.left[target] = frames[index].x
        half.right[target] = frames[index].y
      }
      done += length
    }
    frames.deallocate()
    filter.free()
    return half
  }
}

/// A recording at its own rate, and at a half, a quarter and so on of it.
struct Recording {
  private static let maximumLevelCount = 7
  private static let minimumFrameCount = 64
  let levels: UnsafeMutablePointer<Level>
  private(set) var levelCount = 1
  /// Frames at its own rate.
  var frameCount: Int { levels[0].count }

  private init(_ first: Level) {
    levels = .allocate(capacity: Self.maximumLevelCount)
    levels.initialize(to: first)
    while levelCount < Self.maximumLevelCount, levels[levelCount - 1].count > Self.minimumFrameCount
    {
      (levels + levelCount).initialize(to: levels[levelCount - 1].halved())
      levelCount += 1
    }
  }

  /// Creates a recording of one or two channels; nil for other counts, and for NaN or infinity. [main]
  init?(_ sound: AudioFile) {
    guard sound.channelCount == 1 || sound.channelCount == 2, sound.frameCount > 0 else {
      return nil
    }
    for channel in 0 ..< sound.channelCount {
      for frame in 0 ..< sound.frameCount where !sound.channels[channel][frame].isFinite {
        return nil
      }
    }
    let first = Level(count: sound.frameCount, isStereo: sound.channelCount == 2)
    first.left.update(from: sound.channels[0], count: sound.frameCount)
    if sound.channelCount == 2 {
      first.right.update(from: sound.channels[1], count: sound.frameCount)
    }
    self.init(first)
  }

  /// Generates a wooden bar at middle C, tuned like those of a marimba. [main]
  ///
  /// Such bars are cut so that their second partial is two octaves above the first (N. H. Fletcher and T. D.
  /// Rossing, The Physics of Musical Instruments, 1998, ch. 19).
  init(barAtRateHz sampleRateHz: Double) {
    let seconds = 2.4
    let first = Level(count: Int(seconds * sampleRateHz), isStereo: false)
    let end = Double(first.count)
    // Frequency ratio, level, and the decay time by 60 dB in seconds.
    let tones: [(Double, Double, Double)] = [(1, 0.6, 1.7), (4, 0.22, 0.5), (9.2, 0.09, 0.16)]
    for (ratio, level, decay) in tones {
      let turns = 261.625_565 * ratio / sampleRateHz
      guard turns < 0.45 else { continue }
      for frame in 0 ..< first.count {
        let phase = turns * Double(frame)
        let fall = realtime_exp(-6.907_755 * Double(frame) / (decay * sampleRateHz))
        let sound = Sine.ofTurns(phase - phase.rounded(.down)) * fall * level
        first.left[frame] += Float(sound * min(1, 20 * (end - Double(frame)) / end))
      }
    }
    self.init(first)
  }

  /// Frees the memory. [main]
  func free() {
    for index in 0 ..< levelCount { levels[index].free() }
    levels.deallocate()
  }
}
