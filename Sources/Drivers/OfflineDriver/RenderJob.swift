// RenderJob.swift: renders from source to sink, on any thread. SPDX-License-Identifier: MIT

import AudioFiles
import CRealtime
import RealtimeKit
import Synchronization

/// The data that an `OfflineDriver` and its thread share: source, sink, and stop flags.
final class RenderJob: @unchecked Sendable {
  // Sendable because only one thread at a time renders and uses source and sink, except for the
  // functions that their protocols allow on any thread.

  let source: (any FrameSource)?
  let sink: any FrameSink
  /// Whether to end at the next block, with an error.
  let isCancelled = Atomic<Bool>(false)
  /// Whether to end after the current block, successfully.
  let isEnded = Atomic<Bool>(false)
  private let settings: RenderSettings

  init(_ settings: RenderSettings, _ source: (any FrameSource)?, _ sink: any FrameSink) {
    self.settings = settings
    self.source = source
    self.sink = sink
  }

  /// Renders as described in `OfflineDriver.render`; a nil `latencyFrames` uses the settings.
  func render(
    _ renderer: Renderer, latencyFrames: Int? = nil,
    onProgress: (RenderProgress) -> Void = { _ in }, atInputEnd: (() -> Void)? = nil,
    check checkNodes: () throws -> Void = {}
  ) throws -> RenderReport {
    try check(renderer.format)
    crealtime_begin_thread()
    let started = crealtime_nanoseconds()
    let writer = try SinkWriter(sink, measures: !settings.flushesEveryBlock)
    var settings = settings
    settings.latencyFrames = latencyFrames ?? settings.latencyFrames
    var run = Rendering(settings, renderer, source)
    var reported = started
    do {
      while try run.step(to: writer, atInputEnd: atInputEnd) {
        if settings.flushesEveryBlock { writer.flush() }
        if isEnded.load(ordering: .relaxed) { break }
        let now = crealtime_nanoseconds()
        if isCancelled.load(ordering: .relaxed) {
          throw OfflineError.cancelled(seconds: run.seconds)
        }
        if now - reported >= 100_000_000 {
          reported = now
          onProgress(run.progress(elapsedSeconds: Double(now - started) * 1e-9))
          try checkNodes()
        }
      }
      try checkNodes()
      try writer.finish()
    } catch {
      writer.abandon()
      throw error
    }
    let elapsed = Double(crealtime_nanoseconds() - started) * 1e-9
    var report = report(writer, renderer.format.sampleRateHz, elapsed)
    report.tailFrameCount = run.inputEnd.map { max(0, writer.frameCount - $0) } ?? 0
    report.cutTailSeconds = run.cutTailSeconds
    return report
  }

  private func check(_ format: RenderFormat) throws(OfflineError) {
    if let source, source.channelCount != format.inputChannelCount {
      throw .inputMismatch(
        sourceChannelCount: source.channelCount, engineChannelCount: format.inputChannelCount)
    }
    if sink.channelCount != format.outputChannelCount {
      throw .outputMismatch(
        sinkChannelCount: sink.channelCount, engineChannelCount: format.outputChannelCount)
    }
    if source == nil && settings.seconds == nil && settings.eventSeconds == nil {
      throw .lengthUnknown
    }
  }

  private func report(
    _ writer: SinkWriter, _ sampleRateHz: Double, _ elapsed: Double
  ) -> RenderReport {
    RenderReport(
      frameCount: writer.frameCount,
      seconds: Double(writer.frameCount) / sampleRateHz,
      elapsedSeconds: elapsed,
      peaks: writer.levels.peaks,
      loudnessLUFS: writer.loudnessLUFS,
      clippedSampleCount: sink.clippedSampleCount,
      faultySampleCount: writer.faultySampleCount,
      firstFaultSeconds: Double(writer.firstFault) / sampleRateHz,
      notes: [source?.note].compactMap(\.self))
  }
}
