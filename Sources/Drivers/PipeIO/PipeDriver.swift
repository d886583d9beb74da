// PipeDriver.swift: renders as fast as standard input and output allow. SPDX-License-Identifier:
// MIT

package import AudioDriver
import AudioFiles
import OfflineDriver
package import RealtimeKit

/// A driver without a card: the pipes clock the graph.
///
/// It renders like the offline driver: the same blocks, the same latency compensation, the same
/// tail, the same bytes. Its thread is an ordinary one, which may wait for either pipe for any
/// time.
package final class PipeDriver: AudioDriver {
  /// The block length in frames, the same as for files.
  package static let defaultBlockFrames = RenderSettings().blockFrames

  package let stream: StreamDescription

  private let rendering: OfflineDriver
  private let output: PipeOutput?

  /// Determines the stream; reads only the header. [main]
  ///
  /// - Parameters:
  ///   - input: the input stream; nil for a graph that generates audio.
  ///   - output: the output stream; nil if nothing is played.
  ///   - periodFrames: the length of all blocks, in frames.
  ///   - sampleRateHz: the sample rate of the graph and of both streams.
  ///   - seconds: the length of the input to read, or the total length without an input; nil for
  ///     all.
  ///   - notes: messages before the start.
  ///   - onEnd: called when the audio has ended. [its thread]
  package init(
    input: PipeInput?, output: PipeOutput?, periodFrames: Int = defaultBlockFrames,
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
    stream.isRealTime = false
    self.stream = stream
    var settings = RenderSettings()
    settings.blockFrames = periodFrames
    settings.flushesEveryBlock = true
    // Without a length, audio that never ends is cut off after thirty years.
    settings.seconds = seconds ?? (input == nil ? 1e9 : nil)
    let source = input.map(PipeSource.init)
    // A reader that was closed is reported even if no more input arrives.
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
    // If even the sizes of the header cannot be written, nobody can receive the error.
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

/// A stream as the source of a rendering, which waits until each block is complete.
private final class PipeSource: FrameSource, @unchecked Sendable {
  // Sendable because the rendering thread owns everything except the signal.

  private let input: PipeInput
  /// Wakes a waiting read.
  private let stop = StopSignal()
  private var hasEnded = false

  init(_ input: PipeInput) { self.input = input }

  var channelCount: Int { input.format.channelCount }
  var frameCount: Int? { nil }
  var note: String? { input.note }

  func prepare() {
    stop.reset()
    hasEnded = false
  }

  func interrupt() { stop.signal() }

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
