// OfflineDriver.swift: pulls a file through an engine as fast as the machine can. SPDX-License-Identifier: MIT

import AudioFiles
import CRealtime
package import RenderGraph
import Synchronization

/// Renders a source through an engine into a sink.
///
/// Every block has the same length, the input is followed by silence, and what is too much is cut:
/// the same input gives the same bytes, whatever else the machine does.
package final class OfflineDriver: Sendable {
  private let settings: RenderSettings
  private let isCancelled = Atomic<Bool>(false)
  private let isEnded = Atomic<Bool>(false)

  /// A driver that has not yet run. [main]
  package init(_ settings: RenderSettings) {
    self.settings = settings
  }

  /// Ends the rendering at its next block; it then throws, and the sink is not finished. [any]
  package func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Ends the rendering after its block, in good order: what was rendered until then is kept. [any]
  package func end() { isEnded.store(true, ordering: .relaxed) }

  /// Renders to the end, on this thread; the sink is written on another.
  ///
  /// - Parameters:
  ///   - engine: As many inputs as the source has channels, as many outputs as the sink; not faded out.
  ///   - source: Read to its end or for `seconds`; nil for a graph that makes its own sound.
  ///   - sink: Finished when this returns; not if it throws.
  ///   - onProgress: Called about ten times a second.
  ///   - atInputEnd: Called once when the graph has rendered the input and nothing behind it: the block in which
  ///     the input ends is cut there, unless `keepsBlocks`.
  /// - Returns: What came out.
  /// - Throws: `OfflineError`, or what the source or the sink threw. [main]
  package func render(
    _ engine: Engine, from source: (any FrameSource)?, to sink: any FrameSink,
    onProgress: (RenderProgress) -> Void = { _ in }, atInputEnd: (() -> Void)? = nil
  ) throws -> RenderReport {
    try check(engine, source, sink)
    crealtime_begin_thread()
    let started = crealtime_nanoseconds()
    let writer = try SinkWriter(sink, measures: !settings.isPrompt)
    var run = Rendering(settings, engine, source)
    var reported = started
    do {
      while try run.step(to: writer, atInputEnd: atInputEnd) {
        if settings.isPrompt { writer.flush() }
        if isEnded.load(ordering: .relaxed) { break }
        let now = crealtime_nanoseconds()
        if isCancelled.load(ordering: .relaxed) {
          throw OfflineError.cancelled(seconds: run.seconds)
        }
        if now - reported >= 100_000_000 {
          reported = now
          onProgress(run.progress(elapsedSeconds: Double(now - started) * 1e-9))
        }
      }
      try writer.finish()
    } catch {
      writer.abandon()
      throw error
    }
    let elapsed = Double(crealtime_nanoseconds() - started) * 1e-9
    var report = report(writer, sink, engine, elapsed, [source?.note].compactMap { $0 })
    report.tailFrameCount = run.inputEnd.map { max(0, writer.frameCount - $0) } ?? 0
    return report
  }

  private func check(
    _ engine: Engine, _ source: (any FrameSource)?, _ sink: any FrameSink
  ) throws(OfflineError) {
    let shape = engine.settings
    if let source, source.channelCount != shape.inputChannelCount {
      throw .inputMismatch(
        sourceChannelCount: source.channelCount, engineChannelCount: shape.inputChannelCount)
    }
    if sink.channelCount != shape.outputChannelCount {
      throw .outputMismatch(
        sinkChannelCount: sink.channelCount, engineChannelCount: shape.outputChannelCount)
    }
    if source == nil && settings.seconds == nil && settings.eventSeconds == nil {
      throw .lengthUnknown
    }
  }

  private func report(
    _ writer: SinkWriter, _ sink: any FrameSink, _ engine: Engine, _ elapsed: Double,
    _ notes: [String]
  ) -> RenderReport {
    let faultyInput = engine.takeFaultyInputSamples()
    return RenderReport(
      frameCount: writer.frameCount,
      seconds: Double(writer.frameCount) / engine.settings.sampleRateHz,
      elapsedSeconds: elapsed,
      peaks: writer.levels.peaks,
      loudnessLUFS: writer.loudnessLUFS,
      clippedSampleCount: sink.clippedSampleCount,
      faultySampleCount: writer.faultySampleCount,
      firstFaultSeconds: Double(writer.firstFault) / engine.settings.sampleRateHz,
      faultyInputSampleCount: faultyInput.count,
      firstInputFaultSeconds: Double(faultyInput.firstFrame) / engine.settings.sampleRateHz,
      notes: notes)
  }
}
