// PhaseVocoder.swift: converts audio to spectra and back, eight overlapping at a time.
// SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Frames of two channels with a Hann window, each an eighth of its length after the previous one, modified
/// and added up.
///
/// The work on a frame is divided into parts, spread evenly over the time until the next one begins. The
/// latency is the length of a frame plus that time.
struct PhaseVocoder {
  /// The latency in frames.
  let latency: Int
  private let length: Int
  private let hop: Int
  private let transform: FourierTransform
  private let window: UnsafeMutablePointer<Float>
  // For each channel: the last frames, the current ones, and the output sum.
  private let history: UnsafeMutablePointer<Float>
  private let frames: UnsafeMutablePointer<Float>
  private let sums: UnsafeMutablePointer<Float>
  // Two arrays for each channel.
  private let spectra: UnsafeMutablePointer<Float>
  private let shifted: UnsafeMutablePointer<Float>
  private var shift: PeakShift
  private var envelope: Envelope
  private var position = 0  // in `history`
  private var out = 0  // in `sums`
  private var waited = 0
  private var part: Int
  private var isKeepingFormants = false
  private var ratio = 1.0

  private static let overlap = 8
  /// Frames after which parts are done.
  private static let partFrames = 16
  private static let seconds = 0.064

  init(sampleRateHz: Double) {
    var length = 512
    while Double(length) < Self.seconds * sampleRateHz, length < 16_384 { length *= 2 }
    self.length = length
    hop = length / Self.overlap
    latency = length + hop
    transform = FourierTransform(size: length)
    window = .allocate(capacity: length)
    for frame in 0 ..< length {
      let turns = Double(frame) / Double(length)
      window[frame] = Float(0.5 - 0.5 * realtime_cos(2 * Double.pi * turns))
    }
    history = .allocate(capacity: 2 * length)
    frames = .allocate(capacity: 2 * length)
    sums = .allocate(capacity: 4 * length)
    spectra = .allocate(capacity: 2 * length)
    shifted = .allocate(capacity: 2 * length)
    shift = PeakShift(binCount: length / 2, overlap: Self.overlap)
    envelope = Envelope(length: length, sampleRateHz: sampleRateHz)
    part = 0
    clear()
  }

  func free() {
    transform.free()
    window.deallocate()
    history.deallocate()
    frames.deallocate()
    sums.deallocate()
    spectra.deallocate()
    shifted.deallocate()
    shift.free()
    envelope.free()
  }

  @_noLocks
  mutating func clear() {
    history.update(repeating: 0, count: 2 * length)
    frames.update(repeating: 0, count: 2 * length)
    sums.update(repeating: 0, count: 4 * length)
    spectra.update(repeating: 0, count: 2 * length)
    shifted.update(repeating: 0, count: 2 * length)
    shift.clear()
    envelope.clear()
    position = 0
    out = 0
    waited = 0
    part = 1_000
  }

  /// Processes one input frame and returns one output frame.
  ///
  /// - Parameters:
  ///   - frame: the input.
  ///   - ratio: the frequency ratio, for frames that begin from here on.
  ///   - isKeepingFormants: whether the spectrum's envelope is preserved.
  /// - Returns: the modified input of `latency` frames ago.
  @_noLocks
  @inline(__always)
  mutating func next(
    _ frame: SIMD2<Float>, ratio: Double, isKeepingFormants: Bool
  ) -> SIMD2<Float> {
    history[position] = frame.x
    history[length + position] = frame.y
    position = (position + 1) & (length - 1)
    let due = SIMD2(sums[out], sums[2 * length + out])
    sums[out] = 0
    sums[2 * length + out] = 0
    out = (out + 1) & (2 * length - 1)
    waited += 1
    if waited % Self.partFrames == 0 { advance(ratio, isKeepingFormants) }
    return due
  }

  // MARK: - Parts

  @_noLocks
  private mutating func advance(_ ratio: Double, _ isKeepingFormants: Bool) {
    let due = partCount * waited / hop
    while part < min(due, partCount) {
      run(part)
      part += 1
    }
    guard waited == hop else { return }
    begin()
    self.ratio = ratio
    self.isKeepingFormants = isKeepingFormants
    waited = 0
    part = 0
  }

  /// Takes the last frames under the window.
  @_noLocks
  private func begin() {
    for channel in 0 ..< 2 {
      let (from, to) = (history + channel * length, frames + channel * length)
      for frame in 0 ..< length - position { to[frame] = from[position + frame] * window[frame] }
      for frame in length - position ..< length {
        to[frame] = from[frame - (length - position)] * window[frame]
      }
    }
  }

  private var envelopeParts: Int {
    @_noLocks get { isKeepingFormants ? envelope.partCount : 0 }
  }

  private var partCount: Int {
    @_noLocks get { 4 * transform.stepCount + envelopeParts + 3 }
  }

  @_noLocks
  private mutating func run(_ part: Int) {
    let steps = transform.stepCount
    let half = length / 2
    if part < 2 * steps {
      let (channel, step) = (part / steps, part % steps)
      let (signal, row) = (frames + channel * length, spectra + channel * length)
      return transform.forward(step: step, signal, signal + half, row, row + half)
    }
    var rest = part - 2 * steps
    if rest == 0 { return shift.findPeaks(spectra) }
    rest -= 1
    if rest < envelopeParts { return envelope.run(rest, powers: shift.powers) }
    rest -= envelopeParts
    if rest == 0 {
      return shift.move(
        spectra, to: shifted, ratio: ratio, levels: isKeepingFormants ? envelope.levels : nil)
    }
    rest -= 1
    if rest < 2 * steps {
      let (channel, step) = (rest / steps, rest % steps)
      let row = shifted + channel * length
      return transform.inverse(step: step, row, row + half, frames + channel * length)
    }
    add()
  }

  /// Adds the frames to the output from the next hop on.
  @_noLocks
  private func add() {
    // Eight squared Hann windows add up to 3.
    let scale = 1 / (3 * Float(length))
    // The next output is at `out`; the current hop ends where the frames begin.
    let start = out + hop - waited
    for channel in 0 ..< 2 {
      let (from, to) = (frames + channel * length, sums + 2 * channel * length)
      for frame in 0 ..< length {
        let position = (start + frame) & (2 * length - 1)
        to[position] += from[frame] * window[frame] * scale
      }
    }
  }
}
