// RenderEngine.swift: the memory of the audio thread, and the rendering of a block.
// SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.
// RenderEngine+Setup.swift creates and configures the engine.

package import CRealtime
import PluginModel
package import RealtimeKit
package import Synchronization

/// Everything that the audio thread accesses: the render sequence, the input and output buffers,
/// the meters.
///
/// An `Engine` creates it at a fixed address. A driver uses it through `Engine.renderer`: it fills
/// `inputs`, calls the render callback, and reads `outputs`.
package struct RenderEngine: ~Copyable {
  /// The captured audio, one buffer for each channel; read by the render sequence.
  package let inputs: PlanarBuffer
  /// The audio to play, one buffer for each channel; written by the render sequence.
  package let outputs: PlanarBuffer
  /// The longest block, in frames.
  package let maximumFrameCount: Int
  /// The sample rate, in Hz.
  package let sampleRateHz: Double
  /// The levels of the inputs since they were last taken.
  package let inputMeter: PeakMeter
  /// The levels of the outputs since they were last taken.
  package let outputMeter: PeakMeter
  /// The ring that receives each block of the inputs for measurement; nil for none.
  package let inputTap = Atomic<UnsafeMutablePointer<FrameRing>?>(nil)
  /// The ring that receives each block of the outputs, as it is played; nil for none.
  package let outputTap = Atomic<UnsafeMutablePointer<FrameRing>?>(nil)
  /// The share of the period that rendering takes.
  package let load: LoadMeter
  /// The number of invalid samples in the inputs since they were last taken.
  package let faultyInputSamples = Atomic<Int>(0)
  /// The frame of the first of these samples.
  package let firstFaultyInput = Atomic<UInt64>(0)
  /// The master fade of the outputs.
  package var fade: MasterFade
  /// The number of frames rendered since the start.
  package let frameCount = Atomic<UInt64>(0)

  /// An observer that is called before and after every block; nil for none.
  ///
  /// It lives as long as the engine and is set before the start.
  package var observer: UnsafePointer<crealtime_observer>?

  /// The musical time; belongs to the `Engine`.
  let transport: UnsafeMutablePointer<TransportState>?
  /// The MIDI clock to send; belongs to the `Engine`, nil if there is none.
  var clockOutput: UnsafeMutablePointer<ClockOutput>?
  /// The MIDI input and output; belongs to the `Engine`.
  let events: UnsafeMutablePointer<EngineEvents>
  /// The black box; belongs to the `Engine`, nil if there is none.
  let blackBox: UnsafeMutablePointer<BlackBox>?
  /// The threads that render together with this one; belongs to the `Engine`, nil if there are
  /// none.
  let pool: UnsafeMutablePointer<RenderThreadPool>?
  /// The render sequence that becomes active at the next block.
  let next = Atomic<UnsafeMutablePointer<RenderSequence>?>(nil)
  /// The replaced render sequence, which waits to be freed by the main thread.
  let retired = Atomic<UnsafeMutablePointer<RenderSequence>?>(nil)
  /// The active render sequence.
  var current: UnsafeMutablePointer<RenderSequence>?
  /// Repairs the outputs, and detects DC offsets in them, if nodes are guarded.
  var repair: OutputConcealment
  var offset: DCOffsetDetector
  let watchesOffset: Bool
  /// Whether NaN and infinity in the inputs are replaced by silence.
  let silencesFaultyInputs: Bool
  /// The curve of a slow fade to the bypass.
  let longFade: FadeCurve
}

/// Renders one block of `frameCount` frames, 1 to the engine's maximum, from `inputs` to `outputs`.
/// [render]
@_noLocks
package func renderBlock(_ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int) {
  renderBlock(engine, frameCount, startedAt: crealtime_nanoseconds())
}

/// Renders one block at a time that the caller has just read from CLOCK_MONOTONIC, in ns.
///
/// MIDI is aligned with this time, and the load is measured from it. [render]
@_noLocks
package func renderBlock(
  _ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int, startedAt started: UInt64
) {
  let mode = crealtime_flush_denormals()
  crealtime_enter()
  if let observer = engine.pointee.observer { crealtime_observe_enter(observer) }
  collectEvents(engine.pointee.events, now: started, frameCount)
  if let transport = engine.pointee.transport {
    advanceTransport(transport, frameCount)
    if let output = engine.pointee.clockOutput {
      sendClock(output, engine.pointee.events, transport.pointee.position, frameCount)
    }
  }
  if let blackBox = engine.pointee.blackBox {
    blackBox.pointee.keep(engine.pointee.events.pointee.queue)
  }
  renderInside(engine, frameCount)
  if let blackBox = engine.pointee.blackBox {
    blackBox.pointee.keep(engine.pointee, blackBoxBlock(engine, frameCount, startedAt: started))
  }
  if let observer = engine.pointee.observer { crealtime_observe_exit(observer) }
  crealtime_exit()
  crealtime_check_x87(nil)
  crealtime_restore_denormals(mode)
  let taken = crealtime_nanoseconds() &- started
  engine.pointee.load.record(
    nanoseconds: taken, frameCount: frameCount, sampleRateHz: engine.pointee.sampleRateHz)
  guard let program = engine.pointee.current, let nodeGuard = program.pointee.nodeGuard else {
    return
  }
  nodeGuard.pointee.recordTime(
    nanoseconds: taken,
    periodNanoseconds: Double(frameCount) / engine.pointee.sampleRateHz * 1e9,
    program.pointee.steps)
}

@_noLocks
private func renderInside(_ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int) {
  swapSequence(engine)
  let peak = engine.pointee.inputMeter.measure(engine.pointee.inputs, frameCount)
  if peak == .infinity, engine.pointee.silencesFaultyInputs {
    silenceFaultyInputs(engine, frameCount)
  }
  // Pairs with the releasing store that sets the tap: the ring is complete before it is visible.
  if let tap = engine.pointee.inputTap.load(ordering: .acquiring) {
    _ = tap.pointee.write(engine.pointee.inputs.channels, frameCount: frameCount)
  }
  if let program = engine.pointee.current {
    program.pointee.run(UInt32(truncatingIfNeeded: frameCount), by: engine.pointee.pool)
  } else {
    for channel in 0 ..< engine.pointee.outputs.channelCount {
      crealtime_zero(engine.pointee.outputs[channel], UInt32(truncatingIfNeeded: frameCount))
    }
  }
  engine.pointee.fade.apply(to: engine.pointee.outputs, frameCount)
  measureOutputs(engine, frameCount)
  if let tap = engine.pointee.outputTap.load(ordering: .acquiring) {
    _ = tap.pointee.write(engine.pointee.outputs.channels, frameCount: frameCount)
  }
  engine.pointee.frameCount.add(UInt64(frameCount), ordering: .relaxed)
}

/// Replaces NaN and infinity in the inputs by silence: in filters and loops they would persist, and
/// a node would seem to be at fault.
@_noLocks
private func silenceFaultyInputs(
  _ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int
) {
  var count = 0
  var first = frameCount
  for channel in 0 ..< engine.pointee.inputs.channelCount {
    let samples = engine.pointee.inputs[channel]
    for frame in 0 ..< frameCount where !samples[frame].isFinite {
      samples[frame] = 0
      count &+= 1
      first = min(first, frame)
    }
  }
  if engine.pointee.faultyInputSamples.load(ordering: .relaxed) == 0 {
    engine.pointee.firstFaultyInput.store(
      engine.pointee.frameCount.load(ordering: .relaxed) &+ UInt64(truncatingIfNeeded: first),
      ordering: .relaxed)
  }
  engine.pointee.faultyInputSamples.add(count, ordering: .releasing)
}

/// Returns the black box's record of the completed block, without its audio.
@_noLocks
private func blackBoxBlock(
  _ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int, startedAt started: UInt64
) -> BlackBox.Block {
  var block = BlackBox.Block()
  block.frameCount = frameCount
  block.startedAt = started
  block.nanoseconds = crealtime_nanoseconds() &- started
  guard let nodeGuard = engine.pointee.current?.pointee.nodeGuard else { return block }
  block.slowestNode = nodeGuard.pointee.slowest.node
  block.slowestNanoseconds = nodeGuard.pointee.slowest.nanoseconds
  return block
}

/// Measures the outputs.
///
/// If nodes are guarded, faults are repaired and their source is searched.
@_noLocks
private func measureOutputs(_ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int) {
  guard let nodeGuard = engine.pointee.current?.pointee.nodeGuard else {
    engine.pointee.outputMeter.measure(engine.pointee.outputs, frameCount)
    return
  }
  let peak = engine.pointee.outputMeter.measure(
    engine.pointee.outputs, frameCount, upTo: NodeGuard.outputLimit)
  let isBad = peak > NodeGuard.outputLimit
  engine.pointee.repair.apply(
    to: engine.pointee.outputs, frameCount, isBad: isBad,
    lacking: nodeGuard.pointee.takeSilencedOutputs())
  if isBad {
    nodeGuard.pointee.watchAllNodes(peak)
  } else if engine.pointee.watchesOffset,
    engine.pointee.offset.check(at: engine.pointee.outputs, frameCount)
  {
    nodeGuard.pointee.startDCOffsetSearch(sampleRateHz: engine.pointee.sampleRateHz)
  }
}

/// Takes over the next render sequence, if there is one and the previous one was collected.
@_noLocks
private func swapSequence(_ engine: UnsafeMutablePointer<RenderEngine>) {
  // The relaxed load costs almost nothing; the exchange, a locked instruction, happens only at a
  // change.
  guard engine.pointee.next.load(ordering: .relaxed) != nil,
    engine.pointee.retired.load(ordering: .relaxed) == nil,
    // Pairs with the releasing store in `Engine.install`.
    let program = engine.pointee.next.exchange(nil, ordering: .acquiring)
  else { return }
  let old = engine.pointee.current
  engine.pointee.current = program
  program.pointee.begin()
  // Pairs with the acquiring exchange in `Engine.collectRetired`.
  engine.pointee.retired.store(old, ordering: .releasing)
}
