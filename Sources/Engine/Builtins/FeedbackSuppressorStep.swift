// FeedbackSuppressorStep.swift: a block of feedback suppression. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import CRealtime
import RealtimeKit

/// Outputs its inputs, unchanged or with notches, and analyses the captured audio.
///
/// The buffers are the graph's outputs, then the captured channels, then the outputs of this node.
/// [render]
@_noLocks @c(outboard_feedback_suppressor_step)
func feedbackSuppressorStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: FeedbackSuppressorState.self)
  let outputCount = state.pointee.outputCount
  let results = outputCount &+ state.pointee.captureCount
  for channel in 0 ..< outputCount where buffers[results &+ channel] != buffers[channel] {
    crealtime_copy(buffers[results &+ channel], buffers[channel], frameCount)
  }
  let sliceFrames = FeedbackSuppressorState.sliceFrames &* state.pointee.decimation
  var done = 0
  while done < Int(frameCount) {
    let count = min(Int(frameCount) &- done, sliceFrames &- state.pointee.frameOfSlice)
    listen(state, buffers, done, count)
    if state.pointee.isActing { applySuppression(state, buffers, done, count) }
    state.pointee.frame &+= UInt64(count)
    state.pointee.frameOfSlice &+= count
    done &+= count
    if state.pointee.frameOfSlice == sliceFrames {
      state.pointee.frameOfSlice = 0
      runSlice(state)
    }
  }
}

// MARK: - Listening

/// Mixes the captured channels to two, decimates them, and passes them to the spectrum.
@_noLocks
private func listen(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ start: Int, _ count: Int
) {
  let outputCount = state.pointee.outputCount
  for channel in 0 ..< outputCount {
    let peak = PeakMeter.peak(buffers[channel] + start, count)
    state.pointee.outputPeak = max(state.pointee.outputPeak, peak)
  }
  let captured = buffers + outputCount
  let microphones = state.pointee.microphones
  let microphoneCount = state.pointee.microphoneCount
  for microphone in 0 ..< microphoneCount {
    let peak = PeakMeter.peak(captured[microphones[microphone]] + start, count)
    state.pointee.capturePeak = max(state.pointee.capturePeak, peak)
  }
  let one = captured[microphones[0]] + start
  let other = captured[microphones[microphoneCount > 1 ? 1 : 0]] + start
  for frame in 0 ..< count {
    var (left, right) = (one[frame], microphoneCount > 1 ? other[frame] : 0)
    if microphoneCount > 2 {
      for microphone in 2 ..< microphoneCount {
        let sample = captured[microphones[microphone]][start &+ frame]
        if microphone & 1 == 0 { left += sample } else { right += sample }
      }
    }
    if state.pointee.decimation == 1 {
      state.pointee.spectrum.take(left, right)
    } else {
      decimate(state, left, right)
    }
  }
}

/// Applies a low-pass filter that only computes the frames that are kept.
@_noLocks
private func decimate(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ left: Float, _ right: Float
) {
  let tapCount = state.pointee.tapCount
  let mask = tapCount &- 1
  let position = state.pointee.delayPosition & mask
  state.pointee.delayFirst[position] = left
  state.pointee.delaySecond[position] = right
  state.pointee.delayPosition &+= 1
  state.pointee.phase &+= 1
  guard state.pointee.phase == state.pointee.decimation else { return }
  state.pointee.phase = 0
  var (one, other): (Float, Float) = (0, 0)
  for tap in 0 ..< tapCount {
    let from = (position &- tap) & mask
    one += state.pointee.taps[tap] * state.pointee.delayFirst[from]
    other += state.pointee.taps[tap] * state.pointee.delaySecond[from]
  }
  state.pointee.spectrum.take(one, other)
}

// MARK: - Acting

/// Applies the notches and the duck to a stretch within a slice.
@_noLocks
private func applySuppression(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ start: Int, _ count: Int
) {
  let outputCount = state.pointee.outputCount
  let results = outputCount &+ state.pointee.captureCount
  for index in 0 ..< FeedbackSuppressorState.notchCount where state.pointee.notches[index].isActive
  {
    let notch = state.pointee.notches + index
    for channel in 0 ..< outputCount {
      notch.pointee.filter(
        buffers[results &+ channel] + start, count,
        state.pointee.memories + (index &* outputCount &+ channel))
    }
    for _ in 0 ..< count { notch.pointee.depth = notch.pointee.advanced(notch.pointee.depth) }
  }
  guard state.pointee.duck.gain != 1 || state.pointee.duck.target != 1 else { return }
  let duck = state.pointee.duck
  var gain = duck.gain
  for frame in 0 ..< count {
    gain = duck.step > 0 ? min(duck.target, gain + duck.step) : max(duck.target, gain + duck.step)
    for channel in 0 ..< outputCount { buffers[results &+ channel][start &+ frame] *= gain }
  }
  state.pointee.duck.gain = gain
}

// MARK: - Slices

/// A part of the work for a spectrum; after the last one there is a decision.
@_noLocks
private func runSlice(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  let slice = state.pointee.slice
  switch slice {
  case 0: state.pointee.spectrum.weigh()
  case 1, 2, 3, 4, 5: state.pointee.spectrum.pass(slice &- 1)
  case 6: state.pointee.spectrum.finish()
  case 7:
    closePeaks(state)
    updateNotches(state)
    detectFeedback(state)
    watchForClipping(state)
    settle(state)
  default: break
  }
  let slices = FeedbackSpectrum.hop / FeedbackSuppressorState.sliceFrames
  state.pointee.slice = slice &+ 1 == slices ? 0 : slice &+ 1
}

/// The recent maximum: older peaks fall by 3 dB from hop to hop.
@_noLocks
private func closePeaks(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  state.pointee.loudestCapture = max(
    state.pointee.capturePeak, state.pointee.loudestCapture * 0.7)
  state.pointee.loudestOutput = max(state.pointee.outputPeak, state.pointee.loudestOutput * 0.7)
}

/// Whether a notch or the attenuation is active; otherwise the output is the input.
@_noLocks
private func settle(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  state.pointee.capturePeak = 0
  state.pointee.outputPeak = 0
  var isActing = state.pointee.duck.gain != 1 || state.pointee.duck.target != 1
  for index in 0 ..< FeedbackSuppressorState.notchCount {
    isActing = isActing || state.pointee.notches[index].isActive
  }
  state.pointee.isActing = isActing
}
