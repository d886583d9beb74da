// GuardedProgram.swift: a render sequence whose blocks take a given time. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel
import RealtimeKit

@testable import RenderGraph

/// Renders blocks of 64 frames of a mono graph, and reports simulated times to its guard.
final class GuardedProgram {
  private let engine: Engine
  private let compiled: CompiledGraph
  private var frameCount = 0
  private let periodNanoseconds = 1e6

  /// A graph that has a deadline. [main]
  init(_ graph: Graph) throws {
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 1, maximumFrameCount: 64, sampleRateHz: 48_000,
        startsFadedOut: false, guardsNodes: true, watchesDeadline: true))
    compiled = try GraphCompiler.compile(graph, for: engine)
    engine.install(compiled)
    // Starts the sequence, and discards the measured duration of that.
    renderBlock(engine.pointer, 64)
    _ = render(100, share: { _ in 0.1 })
    frameCount = 0
  }

  /// Renders blocks that take a fraction of their period each, nearly all of it in one node, whose
  /// thread may be preempted.
  func render(
    _ blocks: Int, share: (Int) -> Double, node: Int = 0, nodeLoad: Double = 0.95,
    isDisturbed: Bool = false, _ signal: (Int) -> Float = { _ in 0 }
  ) -> [Float] {
    var output: [Float] = []
    let program = compiled.program.pointee
    guard let nodeGuard = program.nodeGuard else { return [] }
    for block in 0 ..< blocks {
      for frame in 0 ..< 64 {
        engine.pointer.pointee.inputs[0][frame] = signal(frameCount + frame)
      }
      frameCount += 64
      program.run(64, by: nil)
      output += (0 ..< 64).map { engine.pointer.pointee.outputs[0][$0] }
      let taken = share(block) * periodNanoseconds
      for index in 0 ..< nodeGuard.pointee.count {
        let own = index == node ? taken * nodeLoad : taken * 0.01
        nodeGuard.pointee.meters[index].recordTime(
          nanoseconds: UInt64(own), isDisturbed: isDisturbed && index == node)
      }
      nodeGuard.pointee.recordTime(
        nanoseconds: UInt64(taken), periodNanoseconds: periodNanoseconds, program.steps)
    }
    return output
  }

  /// Renders blocks that take their real duration.
  func render(_ blocks: Int) {
    let program = compiled.program.pointee
    for _ in 0 ..< blocks {
      let started = crealtime_nanoseconds()
      program.run(64, by: nil)
      program.nodeGuard?.pointee.recordTime(
        nanoseconds: crealtime_nanoseconds() - started, periodNanoseconds: periodNanoseconds,
        program.steps)
    }
  }

  /// Nodes that were found faulty since the last call, or are being faded out.
  func takeEndedFaults() -> [DetectedFault] {
    _ = render(10, share: { _ in 0.1 })
    return takeFaults()
  }

  /// Nodes that were found faulty since the last call.
  func takeFaults() -> [DetectedFault] { compiled.takeFaults() }
}
