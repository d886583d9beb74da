// PipeDriver.swift: blocks as fast as standard input gives and standard output takes them. SPDX-License-Identifier: MIT

package import AudioDriver
import AudioFiles
import OfflineDriver
package import RealtimeKit

/// A driver without a card: the pipe is the clock.
///
/// It renders as a file is rendered: the same blocks, the same cut of the plugins' latency, the same tail, the
/// same bytes. It is an ordinary thread, which may wait for either end of the pipe as long as it likes.
package final class PipeDriver: AudioDriver {
  /// Frames in a block, as where files are rendered.
  package static let usualBlockFrames = RenderSettings().blockFrames

  package let stream: StreamDescription

  private let rendering: OfflineDriver
  private let output: PipeOutput?

  /// Settles the stream; nothing is read yet but the header. [main]
  ///
  /// - Parameters:
  ///   - input: what is read; nil for a graph that makes its own sound.
  ///   - output: what is written; nil where nothing is played.
  ///   - periodFrames: frames in a block; all plugins are given that many, to the end.
  ///   - sampleRateHz: of the graph, and of what is read and written.
  ///   - seconds: how much of the input is taken, or how long it is where there is none; nil for all.
  ///   - notes: what is worth knowing before it starts, one sentence each.
  ///   - onEnd: called when it has ended by itself. [its thread]
  package init(
    input: PipeInput?, output: PipeOutput?, periodFrames: Int = usualBlockFrames,
    sampleRateHz: Int, seconds: Double? = nil, notes: [String] = [],
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.output = output
    var stream = StreamDescription(
      inputs: input.map { [Self.describe($0.format, periodFrames)] } ?? [],
      outputs: output.map {
        [Self.describe("Standard output", $0.channelCount, $0.format, sampleRateHz, periodFrames)]
      } ?? [],
      sampleRateHz: Double(sampleRateHz), periodFrames: periodFrames, isLinked: false, notes: notes)
    stream.keepsPace = false
    self.stream = stream
    var settings = RenderSettings()
    settings.blockFrames = periodFrames
    settings.isPrompt = true
    // Audio without an end is cut off after thirty years if no length is set.
    settings.seconds = seconds ?? (input == nil ? 1e9 : nil)
    let source = input.map(PipeSource.init)
    // A missing reader is reported even if no more input comes.
    output?.onFailure = { [weak source] in source?.interrupt() }
    var ending = RenderEnding()
    ending.close = { try output?.close() }
    ending.onEnd = onEnd
    rendering = OfflineDriver(
      settings, from: source, to: output ?? NullOutput(sampleRateHz: sampleRateHz), stream: stream,
      ending: ending)
  }

  deinit {
    stop()
    // Nobody can receive the error if even the sizes of the header find no room.
    try? output?.close()
  }

  /// Describes standard input.
  static func describe(_ format: PipeFormat, _ periodFrames: Int) -> DeviceStream {
    describe(
      "Standard input", format.channelCount, format.format.rawValue, format.sampleRateHz,
      periodFrames)
  }

  /// Describes a stream.
  static func describe(
    _ name: String, _ channelCount: Int, _ format: String, _ sampleRateHz: Int, _ periodFrames: Int
  ) -> DeviceStream {
    DeviceStream(
      device: StandardStream.name, name: name, channelCount: channelCount, format: format,
      sampleRateHz: Double(sampleRateHz), periodFrames: periodFrames, bufferFrames: periodFrames)
  }

  package func start(_ renderer: Renderer) throws { try rendering.start(renderer) }
  package func stop() { rendering.stop() }
  package var status: DriverStatus { rendering.status }
  package var endNotes: [String] { rendering.endNotes }
}

/// A stream as the source of a rendering: waits for each block to be whole.
private final class PipeSource: FrameSource, @unchecked Sendable {
  // Sendable because all but the signal belongs to the thread that renders.

  private let input: PipeInput
  /// Wakes a read that waits.
  private let stop = StopSignal()
  private var hasEnded = false

  init(_ input: PipeInput) { self.input = input }

  var channelCount: Int { input.format.channelCount }
  var frameCount: Int? { nil }
  var note: String? { input.note }

  func prepare() {
    stop.lower()
    hasEnded = false
  }

  func interrupt() { stop.raise() }

  func read(
    into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws -> Int {
    var done = 0
    while done < frameCount, !hasEnded {
      done += input.take(into: channels, offset: done, atMost: frameCount - done)
      guard done < frameCount else { break }
      switch try input.receive(milliseconds: -1, stop: stop.descriptor) {
      case .bytes, .nothing: break
      case .end:
        hasEnded = true
        if input.frameCount == 0 { throw PipeError.inputEmpty }
      case .stopped: hasEnded = true
      }
    }
    return done
  }
}
