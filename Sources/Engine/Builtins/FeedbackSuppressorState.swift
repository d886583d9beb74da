// FeedbackSuppressorState.swift: the render thread's state of feedback suppression. SPDX-License-Identifier: MIT
//
// Real-time code, except for the setup: nothing else here allocates, frees, locks, waits, throws or
// logs.

import Synchronization

/// One length of time over which growth is looked for.
struct GrowthWindow: BitwiseCopyable {
  /// Whether the spectra are means of four.
  let isCoarse: Bool
  /// Points at which the level is read.
  let pointCount: Int
  /// Rows between two of them.
  let stride: Int
  /// The required growth from the first point to the last, in dB.
  let growthDecibels: Float
  /// The required similarity of the growth of both halves: the smallest allowed ratio.
  let evenness: Float
  /// The largest allowed change of frequency, in lines.
  let toleranceBins: Float

  @_noLocks
  init(
    isCoarse: Bool, pointCount: Int, stride: Int, growthDecibels: Float, evenness: Float,
    toleranceBins: Float
  ) {
    self.isCoarse = isCoarse
    self.pointCount = pointCount
    self.stride = stride
    self.growthDecibels = growthDecibels
    self.evenness = evenness
    self.toleranceBins = toleranceBins
  }
}

/// A tone that is ignored, because it is not feedback.
struct IgnoredTone: BitwiseCopyable {
  var frequencyHz: Float = 0
  /// The level when it was ignored, in dB; a tone that has grown much since then is tested again.
  var decibels: Float = 0
  /// The remaining hops for which it is ignored.
  var hopsLeft = 0
  @_noLocks init() {}
}

/// The attenuation of the whole output.
struct OutputDucking: BitwiseCopyable {
  var stage = NotchFilter.Stage.idle
  var hopsLeft = 0
  var holdHops = 0
  /// The number of hops in which the captured audio was as low as without a loop.
  var lowHops = 0
  /// The captured power before, in dB.
  var referenceDecibels: Float = 0
  /// The current gain in dB, at most 0.
  var decibels: Float = 0
  var gain: Float = 1
  var target: Float = 1
  var step: Float = 0
  /// The remaining hops in which no notch is tested at this frequency.
  var ignoreHops = 0
  /// Hops of the recent past in which something was clipped.
  var clippedHops = 0
  @_noLocks init() {}
}

/// The state of feedback suppression for its step.
struct FeedbackSuppressorState: ~Copyable {
  /// Notches at most; more tones than these are answered by turning everything down.
  static var notchCount: Int { @_noLocks get { 12 } }
  /// The maximum number of ignored tones.
  static var ignoredToneCount: Int { @_noLocks get { 8 } }
  /// The number of analysed frames in a slice.
  ///
  /// Work and changes happen only between two slices, so that the result does not depend on the
  /// block length.
  static var sliceFrames: Int { @_noLocks get { 16 } }
  /// Reports that wait to be fetched; a power of two.
  static var reportCapacity: Int { @_noLocks get { 256 } }
  /// Entries of the table of tangents.
  static var tangentCount: Int { @_noLocks get { 1_024 } }

  let outputCount: Int
  let captureCount: Int
  /// The captured channels that are analysed.
  let microphones: UnsafeMutablePointer<Int>
  let microphoneCount: Int
  let sampleRateHz: Float
  /// The number of frames for one analysed frame.
  let decimation: Int
  /// Hops in a second.
  let hopsPerSecond: Float

  // The detection of tones.
  var spectrum: FeedbackSpectrum
  let taps: UnsafeMutablePointer<Float>
  let tapCount: Int
  let delayFirst: UnsafeMutablePointer<Float>
  let delaySecond: UnsafeMutablePointer<Float>
  var delayPosition = 0
  /// Frames until the next analysed one.
  var phase = 0
  /// Frames until the end of the slice.
  var frameOfSlice = 0
  /// Slices since the last spectrum began.
  var slice = 0
  /// Peaks of this hop, and of the last few.
  var capturePeak: Float = 0
  var outputPeak: Float = 0
  var loudestCapture: Float = 0
  var loudestOutput: Float = 0
  var frame: UInt64 = 0

  // Acting.
  let scales: UnsafeMutablePointer<GrowthWindow>
  let scaleCount: Int
  let tangents: UnsafeMutablePointer<Float>
  let notches: UnsafeMutablePointer<NotchFilter>
  /// Two values for each channel of each notch.
  let memories: UnsafeMutablePointer<SIMD2<Float>>
  let ignoredTones: UnsafeMutablePointer<IgnoredTone>
  var duck = OutputDucking()
  var isActing = false
  /// The recent number of feedback tones; decreases with time.
  var detectionRate: Float = 0

  // Telling.
  let reports: UnsafeMutablePointer<FeedbackEvent>
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let count = Atomic<Int>(0)

  deinit {
    for memory in [taps, delayFirst, delaySecond, tangents] { memory.deallocate() }
    microphones.deallocate()
    scales.deallocate()
    notches.deallocate()
    memories.deallocate()
    ignoredTones.deallocate()
    reports.deallocate()
  }

  /// Reports an event to the main thread; events that do not fit are dropped, because the notches
  /// are more important.
  @_noLocks
  func report(_ report: FeedbackEvent) {
    count.add(1, ordering: .relaxed)
    let position = written.load(ordering: .relaxed)
    // Pairs with the releasing store in `FeedbackSuppressor.takeReports`: only reports that were
    // read are overwritten.
    guard position &- read.load(ordering: .acquiring) < Self.reportCapacity else { return }
    reports[position & (Self.reportCapacity &- 1)] = report
    // Pairs with the acquiring load in `FeedbackSuppressor.takeReports`.
    written.store(position &+ 1, ordering: .releasing)
  }

  /// Seconds as hops.
  @_noLocks
  func hops(_ seconds: Float) -> Int { Int(seconds * hopsPerSecond) }

  /// The tangent of half the angle of a frequency, from the table, which ends at 0.45 of the rate.
  @_noLocks
  func tangent(_ frequencyHz: Float) -> Float {
    let position = min(
      Float(Self.tangentCount &- 2),
      frequencyHz / (0.45 * sampleRateHz) * Float(Self.tangentCount &- 1))
    let index = Int(position)
    let fraction = position - Float(index)
    return tangents[index] + fraction * (tangents[index &+ 1] - tangents[index])
  }
}
