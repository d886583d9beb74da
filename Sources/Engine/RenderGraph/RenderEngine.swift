// RenderEngine.swift: all that the audio thread may touch, and what it does with a block. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. RenderEngine+Setup.swift
// holds what makes and feeds it.

package import CRealtime
import PluginModel
package import RealtimeKit
package import Synchronization

/// Everything the audio thread sees: the program, the border buffers, the meters.
///
/// It lives at a fixed address, made by an `Engine`. A driver calls it through `Engine.renderer`: it fills `inputs`,
/// calls the render callback, and takes `outputs`.
package struct RenderEngine: ~Copyable {
  /// What the driver has captured, a row for each channel; read by the program.
  package let inputs: PlanarBuffer
  /// What the driver shall play, a row for each channel; written by the program.
  package let outputs: PlanarBuffer
  /// The longest block, in frames.
  package let maximumFrameCount: Int
  /// Frames a second.
  package let sampleRateHz: Double
  /// Levels of the inputs since they were last taken.
  package let inputMeter: PeakMeter
  /// Levels of the outputs since they were last taken.
  package let outputMeter: PeakMeter
  /// Where each block of the inputs is left for who measures it; nil where nobody does.
  package let inputTap = Atomic<UnsafeMutablePointer<FrameRing>?>(nil)
  /// Where each block of the outputs is left, as it is played.
  package let outputTap = Atomic<UnsafeMutablePointer<FrameRing>?>(nil)
  /// How much of its time the rendering takes.
  package let load: LoadMeter
  /// Samples of the inputs that were not numbers since they were last taken, and the frame of the first of them.
  package let faultyInputSamples = Atomic<Int>(0)
  package let firstFaultyInput = Atomic<UInt64>(0)
  /// The master fade of the outputs.
  package var fade: MasterFade
  /// Frames rendered since the start.
  package let frameCount = Atomic<UInt64>(0)

  /// Brackets every block, where somebody watches; lives as long as the engine, and is set before the start.
  package var observer: UnsafePointer<crealtime_observer>?

  /// Musical time; belongs to the `Engine`.
  let transport: UnsafeMutablePointer<TransportState>?
  /// MIDI at the borders; belongs to the `Engine`.
  let events: UnsafeMutablePointer<EngineEvents>
  /// Keeps the last seconds; belongs to the `Engine`, nil where nobody wants them.
  let blackBox: UnsafeMutablePointer<BlackBox>?
  /// Threads that render with this one; belongs to the `Engine`, nil where there are none.
  let crew: UnsafeMutablePointer<RenderThreadPool>?
  /// Waits to be taken over at the next block.
  let next = Atomic<UnsafeMutablePointer<RenderSequence>?>(nil)
  /// Was replaced, and waits to be freed by the main thread.
  let retired = Atomic<UnsafeMutablePointer<RenderSequence>?>(nil)
  /// What is rendered now.
  var current: UnsafeMutablePointer<RenderSequence>?
  /// Repairs what comes out, and looks for an offset in it, where nodes are guarded.
  var repair: OutputConcealment
  var offset: DCOffsetDetector
  let watchesOffset: Bool
  /// Whether samples of the inputs that are not numbers are replaced by silence.
  let silencesFaultyInputs: Bool
  /// How a node gives way where there is time.
  let longFade: FadeCurve
}

/// Renders one block of `frameCount` frames, 1 to the engine's maximum, from `inputs` to `outputs`. [render]
@_noLocks
package func renderBlock(_ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int) {
  renderBlock(engine, frameCount, startedAt: crealtime_nanoseconds())
}

/// The same at a moment on CLOCK_MONOTONIC, in ns: now, as who looked at the clock already knows.
///
/// MIDI is related to it, and the load counted from it. [render]
@_noLocks
package func renderBlock(
  _ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int, startedAt started: UInt64
) {
  let mode = crealtime_flush_denormals()
  crealtime_enter()
  if let observer = engine.pointee.observer { crealtime_observe_enter(observer) }
  gatherEvents(engine.pointee.events, now: started, frameCount)
  if let transport = engine.pointee.transport { advanceTransport(transport, frameCount) }
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
  nodeGuard.pointee.noteTime(
    nanoseconds: taken,
    periodNanoseconds: Double(frameCount) / engine.pointee.sampleRateHz * 1e9,
    program.pointee.steps)
}

@_noLocks
private func renderInside(_ engine: UnsafeMutablePointer<RenderEngine>, _ frameCount: Int) {
  takeOverProgram(engine)
  let peak = engine.pointee.inputMeter.measure(engine.pointee.inputs, frameCount)
  if peak == .infinity, engine.pointee.silencesFaultyInputs {
    silenceFaultyInputs(engine, frameCount)
  }
  // Pairs with the releasing store of who taps: the ring is complete before it is seen.
  if let tap = engine.pointee.inputTap.load(ordering: .acquiring) {
    _ = tap.pointee.write(engine.pointee.inputs.channels, frameCount: frameCount)
  }
  if let program = engine.pointee.current {
    program.pointee.run(UInt32(truncatingIfNeeded: frameCount), by: engine.pointee.crew)
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

/// Replaces samples of the inputs that are not numbers by silence: in filters and loops they would stay, and the
/// node would seem to be at fault.
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

/// What is to be remembered of a block that has just been rendered, but for its sound.
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

/// Measures what goes out; what cannot be sound is repaired, where nodes are guarded, and its cause looked for.
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
    nodeGuard.pointee.raiseAlarm(peak)
  } else if engine.pointee.watchesOffset,
    engine.pointee.offset.look(at: engine.pointee.outputs, frameCount)
  {
    nodeGuard.pointee.beginSeekingOffset(sampleRateHz: engine.pointee.sampleRateHz)
  }
}

/// Takes the next program, if there is one and the last one has been fetched for freeing.
@_noLocks
private func takeOverProgram(_ engine: UnsafeMutablePointer<RenderEngine>) {
  // The relaxed look is nearly free; the exchange, a locked instruction, happens only at a change.
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
