// OfflineDriver.swift: renders a file as fast as the machine can. SPDX-License-Identifier: MIT

package import AudioDriver
package import RealtimeKit
import Synchronization

/// Renders a source into a sink, as fast as frames are read, rendered and written.
///
/// Every block has the same length. Silence follows the input, and surplus frames are cut. The same
/// input therefore gives the same bytes.
///
/// Like any driver it renders on its own thread between `start` and `stop`. `render` uses the
/// caller's thread and returns a report.
package final class OfflineDriver: AudioDriver {
  /// The source and the sink, at the sink's rate; blocks come without a clock. [main]
  package let stream: StreamDescription

  private let job: RenderJob
  private let ending: RenderEnding
  private var run: OfflineRun?

  /// Creates a driver that has not run yet. [main]
  ///
  /// - Parameters:
  ///   - settings: the settings. `start` uses the latency of the renderer instead.
  ///   - source: read to its end or for `seconds`; nil for a graph that generates audio.
  ///   - sink: finished at the end of the rendering; not if it fails.
  ///   - stream: the description of source and sink; nil for a description of files.
  ///   - ending: called when a rendering that was started has ended.
  package init(
    _ settings: RenderSettings, from source: (any FrameSource)?, to sink: any FrameSink,
    stream: StreamDescription? = nil, ending: RenderEnding = RenderEnding()
  ) {
    job = RenderJob(settings, source, sink)
    self.ending = ending
    self.stream =
      stream
      ?? StreamDescription(
        files: (source?.channelCount, sink.channelCount), sampleRateHz: Double(sink.sampleRateHz),
        blockFrames: settings.blockFrames)
  }

  deinit { stop() }

  // MARK: - On a separate thread

  /// Starts to render on its own thread, from the current position of the source. [main]
  package func start(_ renderer: Renderer) throws(OfflineError) {
    stop()
    let run = OfflineRun(job, renderer, ending)
    try run.start()
    self.run = run
  }

  /// Stops after the current block; the audio rendered until then is kept. [main]
  package func stop() { run?.end() }

  /// The current status; `hasEnded` is true once the sink was finished. [main]
  package var status: DriverStatus {
    var status = DriverStatus()
    status.devices =
      stream.inputs.map { DeviceStatus(device: $0.device, isInput: true) }
      + stream.outputs.map { DeviceStatus(device: $0.device, isInput: false) }
    run?.describe(&status)
    return status
  }

  /// Messages about the source after it has ended. [main]
  package var endNotes: [String] {
    guard let run, run.hasEnded else { return [] }
    return [job.source?.note].compactMap(\.self)
  }

  // MARK: - On the caller's thread

  /// Cancels the rendering at its next block; it then throws, and the sink is not finished. [any]
  package func cancel() { job.isCancelled.store(true, ordering: .relaxed) }

  /// Renders to the end on this thread; another thread writes the sink. [main]
  ///
  /// - Parameters:
  ///   - renderer: has as many inputs as the source has channels, as many outputs as the sink, and
  ///     is not faded out.
  ///   - onProgress: called about ten times a second.
  ///   - atInputEnd: called once when exactly the input was rendered. The block in which the input
  ///     ends is split there, unless `keepsBlocks`.
  ///   - check: called about ten times a second and before the sink is finished. An error ends the
  ///     rendering, and the sink is not finished.
  /// - Returns: the report.
  /// - Throws: `OfflineError`, or an error of the source, the sink or the check.
  package func render(
    _ renderer: Renderer, onProgress: (RenderProgress) -> Void = { _ in },
    atInputEnd: (() -> Void)? = nil, check: () throws -> Void = {}
  ) throws -> RenderReport {
    try job.render(renderer, onProgress: onProgress, atInputEnd: atInputEnd, check: check)
  }
}

/// Actions of a program at the end of a rendering that it started.
package struct RenderEnding {
  /// Closes the sink of a rendering that was not stopped; an error becomes the driver's failure.
  /// [its thread]
  package var close: () throws -> Void = {}
  /// Called last. [its thread]
  package var onEnd: @Sendable () -> Void = {}

  /// Creates an ending without actions. [any]
  package init() {}
}

extension StreamDescription {
  /// Describes files: blocks come without a clock.
  fileprivate init(
    files: (input: Int?, output: Int), sampleRateHz: Double, blockFrames: Int
  ) {
    let side = { (channelCount: Int) in
      DeviceStream(
        device: "file", name: "File", channelCount: channelCount, format: "FLOAT",
        sampleRateHz: sampleRateHz, periodFrames: blockFrames, bufferFrames: blockFrames)
    }
    self.init(
      inputs: files.input.map { [side($0)] } ?? [],
      outputs: files.output > 0 ? [side(files.output)] : [], sampleRateHz: sampleRateHz,
      periodFrames: blockFrames, isLinked: false)
    isRealTime = false
  }
}
