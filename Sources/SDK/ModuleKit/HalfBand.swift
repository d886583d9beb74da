// HalfBand.swift: sample rate conversion by two. SPDX-License-Identifier: MIT

import ModuleABI

/// The taps of a half-band low-pass on one of its two phases; the other phase only has the centre
/// tap, 1/2.
///
/// A sinc with a Kaiser window. It has linear phase, an amplitude of one half at a quarter of the
/// higher rate, and a passband ripple as small as the stopband gain.
enum HalfBandDesign {
  /// Computes the first half of the taps; the second half is its mirror image, and the sum of both
  /// is 1.
  ///
  /// - Parameters:
  ///   - taps: `count` / 2 numbers.
  ///   - count: even.
  ///   - stopbandDecibels: the stopband attenuation, 50 to 140, given enough taps.
  static func fill(_ taps: UnsafeMutablePointer<Float>, count: Int, stopbandDecibels: Double) {
    let beta = 0.1102 * (stopbandDecibels - 8.7)
    func tap(_ index: Int) -> Double {
      // Distance from the centre in frames of the higher rate: odd.
      let distance = Double(2 * index - count + 1)
      let angle = distance * Double.pi / 2
      let position = distance / Double(count)
      return realtime_sin(angle) / angle * Kaiser.window(position, beta: beta)
    }
    var sum = 0.0
    for index in 0 ..< count { sum += tap(index) }
    for index in 0 ..< count / 2 { taps[index] = Float(tap(index) / sum) }
  }
}

/// The history and the current run of two channels, and their weighted sums.
private struct StereoHistory {
  /// The start of the next run.
  let frames: UnsafeMutablePointer<SIMD2<Float>>
  private let start: UnsafeMutablePointer<SIMD2<Float>>
  private let historyCount: Int
  private let capacity: Int

  init(historyCount: Int, maximumFrameCount: Int) {
    self.historyCount = historyCount
    // Sums are computed four at a time and may read this far beyond the end.
    capacity = historyCount + maximumFrameCount + 4
    start = .allocate(capacity: capacity)
    frames = start + historyCount
    clear()
  }

  func free() { start.deallocate() }

  @_noLocks
  func clear() { start.update(repeating: .zero, count: capacity) }

  /// Keeps the end of a run as the history of the next one.
  @_noLocks
  @inline(__always)
  func move(_ frameCount: Int) {
    var frame = 0
    while frame + 4 <= historyCount {
      Self.store(Self.load(start + frame + frameCount), start + frame)
      frame += 4
    }
    while frame < historyCount {
      start[frame] = start[frame + frameCount]
      frame += 1
    }
  }

  /// Returns four frames.
  @_noLocks
  @inline(__always)
  static func load(_ pointer: UnsafePointer<SIMD2<Float>>) -> SIMD8<Float> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Float>.self)
  }

  @_noLocks
  @inline(__always)
  static func store(_ four: SIMD8<Float>, _ pointer: UnsafeMutablePointer<SIMD2<Float>>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: four, as: SIMD8<Float>.self)
  }

  /// Returns four sums in sequence, the first for the run's frame `first`.
  ///
  /// The weights are symmetric; `taps` are the first half of them, `half` in number.
  @_noLocks
  @inline(__always)
  func weighted(
    at first: Int, _ taps: UnsafeMutablePointer<Float>, half: Int
  ) -> SIMD8<Float> {
    let newest = UnsafeRawPointer(frames + first)
    var sum = SIMD8<Float>.zero
    for tap in 0 ..< half {
      let late = (newest - 8 * tap).loadUnaligned(as: SIMD8<Float>.self)
      let early = (newest - 8 * (2 * half - 1 - tap)).loadUnaligned(as: SIMD8<Float>.self)
      sum += (late + early) * taps[tap]
    }
    return sum
  }
}

/// Doubles the sample rate of a stereo signal and removes the images.
///
/// The latency is `tapCount - 1` frames of the higher rate.
public struct HalfBandUpsampler {
  private let run: StereoHistory
  private let taps: UnsafeMutablePointer<Float>
  private let half: Int

  /// Allocates memory. [main]
  ///
  /// - Parameters:
  ///   - tapCount: the number of taps of the phase that has several, even; 40 pass 20 of 24 kHz at
  ///     100 dB.
  ///   - stopbandDecibels: the attenuation of the images, 50 to 140, given enough taps.
  ///   - maximumFrameCount: the longest input run.
  public init(tapCount: Int, stopbandDecibels: Double, maximumFrameCount: Int) {
    run = StereoHistory(historyCount: tapCount - 1, maximumFrameCount: maximumFrameCount)
    half = tapCount / 2
    taps = .allocate(capacity: half)
    HalfBandDesign.fill(taps, count: tapCount, stopbandDecibels: stopbandDecibels)
  }

  /// Frees the memory.
  ///
  /// Do not use the filter afterwards. [main]
  public func free() {
    run.free()
    taps.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  public func clear() { run.clear() }

  /// Reads a run of frames and writes twice as many. [render]
  ///
  /// - Parameters:
  ///   - input: `frameCount` frames.
  ///   - output: room for twice as many; not the memory of `input`.
  ///   - frameCount: at most the maximum.
  @_noLocks
  public func render(
    _ input: UnsafePointer<SIMD2<Float>>, to output: UnsafeMutablePointer<SIMD2<Float>>,
    frameCount: Int
  ) {
    let frames = run.frames
    var frame = 0
    while frame + 4 <= frameCount {
      StereoHistory.store(StereoHistory.load(input + frame), frames + frame)
      frame += 4
    }
    while frame < frameCount {
      frames[frame] = input[frame]
      frame += 1
    }
    frame = 0
    while frame < frameCount {
      let sums = run.weighted(at: frame, taps, half: half)
      if frame + 4 <= frameCount {
        let centres = StereoHistory.load(frames + frame - half + 1)
        let first = SIMD8(
          lowHalf: SIMD4(lowHalf: sums.lowHalf.lowHalf, highHalf: centres.lowHalf.lowHalf),
          highHalf: SIMD4(lowHalf: sums.lowHalf.highHalf, highHalf: centres.lowHalf.highHalf))
        let second = SIMD8(
          lowHalf: SIMD4(lowHalf: sums.highHalf.lowHalf, highHalf: centres.highHalf.lowHalf),
          highHalf: SIMD4(lowHalf: sums.highHalf.highHalf, highHalf: centres.highHalf.highHalf))
        StereoHistory.store(first, output + 2 * frame)
        StereoHistory.store(second, output + 2 * frame + 4)
        frame += 4
        continue
      }
      for offset in 0 ..< min(4, frameCount - frame) {
        let index = 2 * (frame + offset)
        output[index] = SIMD2(sums[2 * offset], sums[2 * offset + 1])
        output[index + 1] = frames[frame + offset - half + 1]
      }
      frame += 4
    }
    run.move(frameCount)
  }
}

/// Halves the sample rate of a stereo signal and removes frequencies that would alias.
///
/// The latency is `tapCount - 1` frames of the higher rate, as with `HalfBandUpsampler`.
public struct HalfBandDownsampler {
  // The frames that the taps use, and those that only the centre uses.
  private let even: StereoHistory
  private let odd: StereoHistory
  private let taps: UnsafeMutablePointer<Float>
  private let half: Int

  /// Allocates memory.
  ///
  /// See `HalfBandUpsampler` for the parameters. [main]
  ///
  /// - Parameters:
  ///   - tapCount: even.
  ///   - stopbandDecibels: 50 to 140.
  ///   - maximumFrameCount: the longest output run.
  public init(tapCount: Int, stopbandDecibels: Double, maximumFrameCount: Int) {
    half = tapCount / 2
    even = StereoHistory(historyCount: tapCount - 1, maximumFrameCount: maximumFrameCount)
    odd = StereoHistory(historyCount: half, maximumFrameCount: maximumFrameCount)
    taps = .allocate(capacity: half)
    HalfBandDesign.fill(taps, count: tapCount, stopbandDecibels: stopbandDecibels)
  }

  /// Frees the memory.
  ///
  /// Do not use the filter afterwards. [main]
  public func free() {
    even.free()
    odd.free()
    taps.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  public func clear() {
    even.clear()
    odd.clear()
  }

  /// Reads a run of frames and writes half as many. [render]
  ///
  /// - Parameters:
  ///   - input: twice `frameCount` frames.
  ///   - output: room for `frameCount`; may be the memory of `input`.
  ///   - frameCount: at most the maximum.
  @_noLocks
  public func render(
    _ input: UnsafePointer<SIMD2<Float>>, to output: UnsafeMutablePointer<SIMD2<Float>>,
    frameCount: Int
  ) {
    let (evens, odds) = (even.frames, odd.frames)
    var frame = 0
    while frame + 4 <= frameCount {
      let (early, late) = (
        StereoHistory.load(input + 2 * frame), StereoHistory.load(input + 2 * frame + 4)
      )
      let first = SIMD4(lowHalf: early.lowHalf.lowHalf, highHalf: early.highHalf.lowHalf)
      let second = SIMD4(lowHalf: late.lowHalf.lowHalf, highHalf: late.highHalf.lowHalf)
      StereoHistory.store(SIMD8(lowHalf: first, highHalf: second), evens + frame)
      let third = SIMD4(lowHalf: early.lowHalf.highHalf, highHalf: early.highHalf.highHalf)
      let fourth = SIMD4(lowHalf: late.lowHalf.highHalf, highHalf: late.highHalf.highHalf)
      StereoHistory.store(SIMD8(lowHalf: third, highHalf: fourth), odds + frame)
      frame += 4
    }
    while frame < frameCount {
      evens[frame] = input[2 * frame]
      odds[frame] = input[2 * frame + 1]
      frame += 1
    }
    frame = 0
    while frame < frameCount {
      let sums = even.weighted(at: frame, taps, half: half)
      if frame + 4 <= frameCount {
        StereoHistory.store((sums + StereoHistory.load(odds + frame - half)) * 0.5, output + frame)
        frame += 4
        continue
      }
      for offset in 0 ..< min(4, frameCount - frame) {
        let sum = SIMD2(sums[2 * offset], sums[2 * offset + 1])
        output[frame + offset] = (sum + odds[frame + offset - half]) * 0.5
      }
      frame += 4
    }
    even.move(frameCount)
    odd.move(frameCount)
  }
}
