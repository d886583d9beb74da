// Resampler.swift: runs a step at another sample rate. SPDX-License-Identifier: MIT
//
// Real-time safe: no allocation, freeing, locks, waiting, errors or logging. RateAdapter.swift allocates and
// frees it.

import AdaptiveResampling
import CRealtime
import RealtimeKit

/// The state between a render sequence and a node's step at another rate.
///
/// Each block is converted to the inner rate. The step renders the resulting frames. Its outputs are converted
/// back and stored in `waiting`. The latency is always `latencyFrames`, whatever the block lengths.
struct Resampler: ~Copyable {
  /// The inner step.
  let step: UnsafeMutablePointer<crealtime_step>
  /// The event input of the step.
  let eventFunction: crealtime_event_function?
  let eventContext: UnsafeMutableRawPointer?

  /// The inner rate divided by the graph's rate.
  let ratio: Double
  /// The longest blocks of the graph and of the inner step.
  let outerFrames: Int
  let innerFrames: Int
  /// The latency in frames of the graph.
  let latencyFrames: Int
  let inputCount: Int
  let outputCount: Int
  var inputConverter: VariableRatioResampler
  var outputConverter: VariableRatioResampler
  /// The buffers of the inner step, inputs first.
  let block: PlanarBuffer
  /// Interleaved inputs at the graph's rate and at the inner rate.
  let inputs: PlanarBuffer
  let innerInputs: PlanarBuffer
  /// Interleaved outputs at the inner rate.
  let innerOutputs: PlanarBuffer
  /// Interleaved outputs at the graph's rate that are not read yet, oldest first.
  let waiting: PlanarBuffer
  let waitingCapacity: Int
  var waitingFrames: Int

  /// The number of graph frames since the last reset.
  var taken: UInt64 = 0
  /// The number of inner frames since the last reset.
  var given: UInt64 = 0
  /// Pending events, by inner frame.
  let arrivals: MessageRing
  let eventBytes: UnsafeMutableRawPointer
  /// The number of lost events.
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
    copyOutputs(resampler, buffers, from: done, part)
    done &+= part
  }
}

/// Converts part of the inputs and runs the inner step for the result.
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

/// Runs the inner step once and converts its outputs.
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

/// Reads part of the outputs; missing frames are silent.
@_noLocks
private func copyOutputs(
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

/// Adds a message of the graph's next block. [render]
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

/// Passes the messages of the next inner block to the step.
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
