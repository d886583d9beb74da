// Resampler.swift: a step that runs at another sample rate than the graph. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. RateAdapter.swift makes and
// frees it.

import AdaptiveResampling
import CRealtime
import RealtimeKit

/// Stands between a program and a node's step, and calls the step with the frames of another rate.
///
/// Each block is converted to the rate inside, the step runs for as many frames as that makes, and its
/// outputs are converted back and wait in `waiting`. What is read does not depend on the length of blocks:
/// the delay is `latencyFrames` throughout.
struct Resampler: ~Copyable {
  /// What is called.
  let step: UnsafeMutablePointer<crealtime_step>
  /// Where the step takes events.
  let eventFunction: crealtime_event_function?
  let eventContext: UnsafeMutableRawPointer?

  /// The rate inside over the graph's rate.
  let ratio: Double
  /// The longest block of the graph, and of the step inside.
  let outerFrames: Int
  let innerFrames: Int
  /// Frames of the graph between input and output.
  let latencyFrames: Int
  let inputCount: Int
  let outputCount: Int
  var inputConverter: VariableRatioResampler
  var outputConverter: VariableRatioResampler
  /// The buffers of the step inside, inputs first.
  let block: PlanarBuffer
  /// Interleaved inputs at the graph's rate, and at the rate inside.
  let inputs: PlanarBuffer
  let innerInputs: PlanarBuffer
  /// Interleaved outputs at the rate inside.
  let innerOutputs: PlanarBuffer
  /// Interleaved outputs at the graph's rate that are not read yet, from the oldest on.
  let waiting: PlanarBuffer
  let waitingCapacity: Int
  var waitingFrames: Int

  /// Frames of the graph that came in since the last reset.
  var taken: UInt64 = 0
  /// Frames that the step inside was given since then.
  var given: UInt64 = 0
  /// Events on their way, by the frame of the step inside.
  let arrivals: MessageRing
  let eventBytes: UnsafeMutableRawPointer
  /// Events that found no room.
  var droppedEvents = 0

  deinit {
    step.deallocate()
    eventBytes.deallocate()
  }
}

/// The step of an adapter. [render]
@_noLocks @c(outboard_resampled_step)
func resampledStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let resampler = context.assumingMemoryBound(to: Resampler.self)
  let total = Int(frameCount)
  var done = 0
  while done < total {
    let part = min(total &- done, resampler.pointee.outerFrames)
    takeInputs(resampler, buffers, from: done, part)
    giveOutputs(resampler, buffers, from: done, part)
    done &+= part
  }
}

/// Converts a part of the inputs, and runs the step inside for what comes out.
@_noLocks
private func takeInputs(
  _ resampler: UnsafeMutablePointer<Resampler>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
) {
  let channelCount = max(1, resampler.pointee.inputCount)
  let frames = resampler.pointee.inputs[0]
  if resampler.pointee.inputCount > 0 {
    interleave(buffers, channelCount: channelCount, offset: start, count: count, to: frames)
  }
  resampler.pointee.taken &+= UInt64(truncatingIfNeeded: count)
  var used = 0
  while used < count {
    let counts = resampler.pointee.inputConverter.convert(
      frames + used &* channelCount, inputFrames: count &- used,
      to: resampler.pointee.innerInputs[0], outputFrames: resampler.pointee.innerFrames)
    used &+= counts.used
    if counts.made > 0 {
      runInside(resampler, counts.made)
    } else if counts.used == 0 {
      return
    }
  }
}

/// Runs the step inside once, and converts its outputs.
@_noLocks
private func runInside(_ resampler: UnsafeMutablePointer<Resampler>, _ count: Int) {
  let inputCount = resampler.pointee.inputCount
  let channels = resampler.pointee.block.channels
  if inputCount > 0 {
    deinterleave(
      resampler.pointee.innerInputs[0], channelCount: inputCount, count: count, to: channels,
      offset: 0)
  }
  deliverEvents(resampler, count)
  crealtime_call_step(resampler.pointee.step, UInt32(truncatingIfNeeded: count))
  resampler.pointee.given &+= UInt64(truncatingIfNeeded: count)
  let outputCount = resampler.pointee.outputCount
  guard outputCount > 0 else { return }
  let frames = resampler.pointee.innerOutputs[0]
  interleave(channels + inputCount, channelCount: outputCount, offset: 0, count: count, to: frames)
  var used = 0
  while used < count {
    let waiting = resampler.pointee.waitingFrames
    let counts = resampler.pointee.outputConverter.convert(
      frames + used &* outputCount, inputFrames: count &- used,
      to: resampler.pointee.waiting[0] + waiting &* outputCount,
      outputFrames: resampler.pointee.waitingCapacity &- waiting)
    used &+= counts.used
    resampler.pointee.waitingFrames = waiting &+ counts.made
    if counts.used == 0, counts.made == 0 { return }
  }
}

/// Reads a part of the outputs; what is not there in time is silence.
@_noLocks
private func giveOutputs(
  _ resampler: UnsafeMutablePointer<Resampler>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
) {
  let outputCount = resampler.pointee.outputCount
  guard outputCount > 0 else { return }
  let frames = resampler.pointee.waiting[0]
  let rows = buffers + resampler.pointee.inputCount
  let ready = min(count, resampler.pointee.waitingFrames)
  deinterleave(frames, channelCount: outputCount, count: ready, to: rows, offset: start)
  if ready < count {
    for channel in 0 ..< outputCount {
      crealtime_zero(rows[channel] + start + ready, UInt32(truncatingIfNeeded: count &- ready))
    }
  }
  let rest = resampler.pointee.waitingFrames &- ready
  crealtime_move(
    frames, frames + ready &* outputCount, UInt32(truncatingIfNeeded: rest &* outputCount))
  resampler.pointee.waitingFrames = rest
}

// MARK: - MIDI

/// Takes a message of the graph's next block. [render]
@_noLocks @c(outboard_resampled_event)
func takeResampledEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let resampler = context.assumingMemoryBound(to: Resampler.self)
  let outer = resampler.pointee.taken &+ UInt64(frame)
  let inner = UInt64(Double(outer) * resampler.pointee.ratio + 0.5)
  let spared = endsNote(bytes, Int(byteCount)) ? 0 : Reblocker.sparedEventBytes
  let isKept = resampler.pointee.arrivals.write(
    time: inner, bytes, Int(byteCount), sparingBytes: spared)
  if !isKept { resampler.pointee.droppedEvents &+= 1 }
}

/// Hands over the messages of the next block inside, which has so many frames.
@_noLocks
private func deliverEvents(_ resampler: UnsafeMutablePointer<Resampler>, _ frameCount: Int) {
  guard let function = resampler.pointee.eventFunction,
    let context = resampler.pointee.eventContext
  else { return }
  let start = resampler.pointee.given
  let end = start &+ UInt64(truncatingIfNeeded: frameCount)
  while let time = resampler.pointee.arrivals.nextTime(), time < end {
    let count = resampler.pointee.arrivals.take(into: resampler.pointee.eventBytes)
    let frame = time > start ? time &- start : 0
    crealtime_send_event(
      function, context, UInt32(truncatingIfNeeded: frame),
      resampler.pointee.eventBytes.assumingMemoryBound(to: UInt8.self),
      UInt32(truncatingIfNeeded: count))
  }
}
