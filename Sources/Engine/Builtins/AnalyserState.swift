// AnalyserState.swift: the render thread's state of an analyser. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import CRealtime
import RealtimeKit
import Synchronization

/// A sum of squares with the number of frames that it is of: in one word, so that a report takes
/// both of a block or neither.
struct Energy: BitwiseCopyable {
  var squares: Float
  var frameCount: UInt32

  @_noLocks
  init(squares: Float, frameCount: UInt32) {
    self.squares = squares
    self.frameCount = frameCount
  }

  @_noLocks
  init(bits: UInt64) {
    squares = Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32))
    frameCount = UInt32(truncatingIfNeeded: bits)
  }

  var bits: UInt64 {
    @_noLocks get { UInt64(squares.bitPattern) << 32 | UInt64(frameCount) }
  }

  /// The mean square; infinity if a sample was not finite.
  var mean: Double {
    guard frameCount > 0 else { return 0 }
    return squares.isFinite ? Double(squares) / Double(frameCount) : .infinity
  }
}

/// An analyser as its step sees it.
struct AnalyserState: ~Copyable {
  let channelCount: Int
  /// The reciprocal of the number of channels, for their mean.
  let channelWeight: Float
  let peaks: UnsafeMutablePointer<Atomic<UInt32>>
  /// The energy of each channel since the last report, each an `Energy` in one word.
  let energies: UnsafeMutablePointer<Atomic<UInt64>>
  /// The mean of the channels, for the spectrum.
  let signal: SampleRing

  deinit {
    peaks.deinitialize(count: channelCount)
    peaks.deallocate()
    energies.deinitialize(count: channelCount)
    energies.deallocate()
  }
}

/// Measures the inputs; there are no outputs. [render]
@_noLocks @c(outboard_analyser_step)
func analyserStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let analyser = context.assumingMemoryBound(to: AnalyserState.self)
  let count = Int(frameCount)
  let channelCount = analyser.pointee.channelCount
  for channel in 0 ..< channelCount { measure(analyser, channel, buffers[channel], count) }
  for frame in 0 ..< count {
    var sum: Float = 0
    for channel in 0 ..< channelCount { sum += buffers[channel][frame] }
    analyser.pointee.signal.write(sum * analyser.pointee.channelWeight)
  }
}

/// The report takes values by exchange; a block that falls into that moment counts in either report.
@_noLocks
private func measure(
  _ analyser: UnsafeMutablePointer<AnalyserState>, _ channel: Int,
  _ samples: UnsafeMutablePointer<Float>, _ count: Int
) {
  let peak = PeakMeter.peak(samples, count).bitPattern
  if peak > analyser.pointee.peaks[channel].load(ordering: .relaxed) {
    analyser.pointee.peaks[channel].store(peak, ordering: .relaxed)
  }
  var squares = 0.0
  for frame in 0 ..< count { squares += Double(samples[frame]) * Double(samples[frame]) }
  var before = analyser.pointee.energies[channel].load(ordering: .relaxed)
  while true {
    let sum = Energy(bits: before)
    let after = Energy(
      squares: Float(Double(sum.squares) + squares),
      frameCount: sum.frameCount &+ UInt32(truncatingIfNeeded: count))
    let (exchanged, original) = analyser.pointee.energies[channel].compareExchange(
      expected: before, desired: after.bits, ordering: .relaxed)
    // Fails only if a report came in between, and then once: the loop is bounded.
    if exchanged { return }
    before = original
  }
}
