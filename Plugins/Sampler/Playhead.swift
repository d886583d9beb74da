// Playhead.swift: the read position in a recording, its speed and its loop. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The loop of a recording, in its frames.
struct Region: Equatable {
  var isOn = false
  var start = 0.0  // whole
  var end = 0.0  // whole, above the start
  var fade = 0.0  // the crossfade before the end, no longer than the audio before the start

  var length: Double { end - start }
}

/// A position in a recording that moves.
struct Playhead {
  private(set) var position = 0.0  // frames of the recording
  private var speed = 1.0
  private var hasLooped = false
  // For that speed.
  private var level: Level
  private var scale = 1.0  // frames of the level for each of the recording
  private var table: UnsafePointer<Float>
  private let taps: UnsafeMutablePointer<Float>  // room for those near a seam

  /// At the beginning, at the recording's own speed.
  @_noLocks
  init(_ recording: Recording, _ kernel: Kernel) {
    level = recording.levels[0]
    table = kernel.table(octaves: 0)
    taps = kernel.taps
  }

  /// Goes to a position, in frames.
  @_noLocks
  mutating func jump(to position: Double) {
    self.position = position
    hasLooped = false
  }

  /// The speed relative to the recording, in octaves; -8 to 8.
  @_noLocks
  mutating func setSpeed(octaves: Double, _ recording: Recording, _ kernel: Kernel) {
    let bounded = min(max(octaves, -8), 8)
    speed = bounded == 0 ? 1 : realtime_pow(2, bounded)
    let index = min(max(Int(bounded), 0), recording.levelCount - 1)
    level = recording.levels[index]
    scale = 1 / Double(1 << index)
    table = kernel.table(octaves: bounded - Double(index))
  }

  /// Whether the position is after the end of the recording.
  @_noLocks
  func isOver(_ region: Region) -> Bool {
    !region.isOn && position * scale >= Double(level.count + Kernel.tapCount / 2)
  }

  /// Whether the position is after the end of the loop that it should be in, because the loop was moved.
  @_noLocks
  func isBeyond(_ region: Region) -> Bool { region.isOn && position > region.end + speed }

  /// Adds one frame of the recording.
  @_noLocks
  @inline(__always)
  mutating func add(
    _ region: Region, _ gains: SIMD2<Float>, to sum: UnsafeMutablePointer<Partials>
  ) {
    if region.isOn {
      while position >= region.end {
        position -= region.length
        hasLooped = true
      }
      if region.fade > 0 {
        addFading(region, gains, to: sum)
      } else {
        addLooped(region, gains, to: sum)
      }
    } else {
      add(at: position, gains, to: sum)
    }
    position += speed
  }

  /// Returns the audio at a position, 0 or more; silent after the end.
  @_noLocks
  @inline(__always)
  private func add(
    at position: Double, _ gains: SIMD2<Float>, to sum: UnsafeMutablePointer<Partials>
  ) {
    let scaled = Int(position * (scale * Double(1 << Kernel.fractionBits)))
    let first = (scaled >> Kernel.fractionBits) &- Kernel.tapsBefore
    // The margins contain the frames that a kernel needs at the edges.
    guard first &+ Kernel.tapCount <= level.count &+ Level.margin else { return }
    Kernel.add(table, scaled, level.left + first, level.right + first, gains, to: sum)
  }

  /// Returns the audio at the position; before the loop's end it is crossfaded with the audio before its
  /// start.
  @_noLocks
  @inline(__always)
  private func addFading(
    _ region: Region, _ gains: SIMD2<Float>, to sum: UnsafeMutablePointer<Partials>
  ) {
    let into = position - (region.end - region.fade)
    guard into > 0 else { return add(at: position, gains, to: sum) }
    let fraction = Float(into / region.fade)
    add(at: position, gains * (1 - fraction), to: sum)
    add(at: position - region.length, gains * fraction, to: sum)
  }

  /// Returns the audio at the position, as if the loop's start followed its end.
  @_noLocks
  @inline(__always)
  private func addLooped(
    _ region: Region, _ gains: SIMD2<Float>, to sum: UnsafeMutablePointer<Partials>
  ) {
    let scaled = position * scale
    let first = Int(scaled) - Kernel.tapsBefore
    if Double(first + Kernel.tapCount) <= region.end * scale,
      !hasLooped || Double(first) >= region.start * scale
    {
      add(at: position, gains, to: sum)
    } else {
      addSeam(region, gains, to: sum)
    }
  }

  /// Returns the audio near the seam, where the taps are fetched one by one.
  @_noLocks
  private func addSeam(
    _ region: Region, _ gains: SIMD2<Float>, to sum: UnsafeMutablePointer<Partials>
  ) {
    let (start, end, length) = (region.start * scale, region.end * scale, region.length * scale)
    let (left, right) = (taps, taps + Kernel.tapCount)
    let exact = Int(position * (scale * Double(1 << Kernel.fractionBits)))
    let whole = exact >> Kernel.fractionBits
    for tap in 0 ..< Kernel.tapCount {
      var frame = Double(whole - Kernel.tapsBefore + tap)
      while frame >= end { frame -= length }
      while hasLooped, frame < start { frame += length }
      let sound = readCubic(frame)
      left[tap] = sound.x
      right[tap] = sound.y
    }
    Kernel.add(table, exact, left, right, gains, to: sum)
  }

  /// Returns a frame of the level; cubic interpolation between two frames, for seams of copies at a lower
  /// rate.
  @_noLocks
  private func readCubic(_ frame: Double) -> SIMD2<Float> {
    let whole = Int(frame.rounded(.down))
    guard whole >= -8, whole < level.count + 8 else { return .zero }
    let rest = Float(frame - Double(whole))
    if rest == 0 { return SIMD2(level.left[whole], level.right[whole]) }
    // The weights are for falling ages: those of n + 2 down to n - 1.
    let weights = Cubic.weights(1 - rest)
    let left = UnalignedSIMD.load(level.left + whole - 1)
    let right = UnalignedSIMD.load(level.right + whole - 1)
    return SIMD2(UnalignedSIMD.sum(left * weights), UnalignedSIMD.sum(right * weights))
  }
}
