// PipeDriver.swift: blocks as fast as standard input gives and standard output takes them. SPDX-License-Identifier: MIT

package import AudioDriver
import AudioFiles
import CRealtime
import Glibc
import OfflineDriver
import RealtimeKit
package import RenderGraph
import Synchronization

/// A driver without a card: the pipe is the clock.
///
/// It renders as a file is rendered: the same blocks, the same cut of the plugins' latency, the same tail, the
/// same bytes. It is an ordinary thread, which may wait for either end of the pipe as long as it likes.
package final class PipeDriver: Driver {
  /// Frames in a block, as where files are rendered.
  package static let usualBlockFrames = RenderSettings().blockFrames

  package let stream: StreamDescription

  private let input: PipeInput?
  private let output: PipeOutput?
  private let seconds: Double?
  private let onEnd: @Sendable () -> Void
  private var run: PipeRun?
  private var engine: Engine?

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
    self.input = input
    self.output = output
    self.seconds = seconds
    self.onEnd = onEnd
    var stream = StreamDescription(
      inputs: input.map { [Self.describe($0.format, periodFrames)] } ?? [],
      outputs: output.map {
        [Self.describe("Standard output", $0.channelCount, $0.format, sampleRateHz, periodFrames)]
      } ?? [],
      sampleRateHz: Double(sampleRateHz), periodFrames: periodFrames, isLinked: false, notes: notes)
    stream.keepsPace = false
    self.stream = stream
  }

  deinit {
    stop()
    // Nobody is left to be told that even the sizes of the header find no room.
    try? output?.close()
  }

  /// How standard input is told of.
  static func describe(_ format: PipeFormat, _ periodFrames: Int) -> DeviceStream {
    describe(
      "Standard input", format.channelCount, format.format.rawValue, format.sampleRateHz,
      periodFrames)
  }

  /// How a stream is told of.
  static func describe(
    _ name: String, _ channelCount: Int, _ format: String, _ sampleRateHz: Int, _ periodFrames: Int
  ) -> DeviceStream {
    DeviceStream(
      device: StandardStream.name, name: name, channelCount: channelCount, format: format,
      sampleRateHz: Double(sampleRateHz), periodFrames: periodFrames, bufferFrames: periodFrames)
  }

  package func start(_ engine: Engine) throws {
    stop()
    var settings = RenderSettings()
    settings.blockFrames = stream.periodFrames
    settings.latencyFrames = engine.latencyFrames
    settings.isPrompt = true
    // Sound that has no end of its own is cut off where nobody says when: in thirty years.
    settings.seconds = seconds ?? (input == nil ? 1e9 : nil)
    self.engine = engine
    let run = PipeRun(
      engine, input, output, sampleRateHz: Int(stream.sampleRateHz), settings, onEnd)
    try run.start()
    self.run = run
  }

  package func stop() { run?.end() }

  package func attend() {}

  package var status: DriverStatus {
    var status = DriverStatus()
    status.devices =
      stream.inputs.map { DeviceStatus(device: $0.device, isInput: true) }
      + stream.outputs.map { DeviceStatus(device: $0.device, isInput: false) }
    guard let run else { return status }
    let end = run.ending
    status.isRunning = end == nil
    status.clippedSampleCount = run.clippedSampleCount
    switch end {
    case nil, .stopped: break
    case .done: status.hasEnded = true
    case .failed(let sentence):
      status.failure = sentence
      status.isStreamFailure = true
    }
    return status
  }

  /// What is worth knowing of the input once it has ended, one sentence each. [main]
  package var remarks: [String] {
    guard let run, run.ending != nil else { return [] }
    return [input?.note].compactMap(\.self)
  }
}

/// One run of it, on a thread of its own.
private final class PipeRun: @unchecked Sendable {
  // Sendable because the mutex guards how it ended, and the rest is the thread's until it is joined.

  enum Ending: Equatable {
    /// It came to its end.
    case done
    /// Somebody stopped it.
    case stopped
    case failed(String)
  }

  private let driver: OfflineDriver
  private let engine: Engine
  private let source: PipeSource?
  private let sink: any FrameSink
  private let output: PipeOutput?
  private let onEnd: @Sendable () -> Void
  /// Wakes who waits for input.
  private let stop = StopSignal()
  private let isStopped = Atomic<Bool>(false)
  private var thread: RealtimeThread?
  private let result = Mutex<Ending?>(nil)
  private let clipped = Atomic<Int>(0)

  /// How long a reader that takes nothing is waited for when it is stopped, in nanoseconds.
  private static let patienceMilliseconds = 1_000

  init(
    _ engine: Engine, _ input: PipeInput?, _ output: PipeOutput?, sampleRateHz: Int,
    _ settings: RenderSettings, _ onEnd: @escaping @Sendable () -> Void
  ) {
    self.engine = engine
    self.output = output
    self.onEnd = onEnd
    driver = OfflineDriver(settings)
    source = input.map { [descriptor = stop.descriptor] in PipeSource($0, stop: descriptor) }
    sink = output ?? NullOutput(sampleRateHz: sampleRateHz)
  }

  deinit { end() }

  var ending: Ending? { result.withLock { $0 } }
  var clippedSampleCount: Int { clipped.load(ordering: .relaxed) }

  func start() throws(PipeError) {
    // Nobody reads: that is told though no more comes in.
    output?.onFailure = { [weak self] in self?.stop.raise() }
    thread = try .ordinary(pipeThread, of: self)
  }

  /// Ends it after its block; harmless when it has ended. [main]
  func end() {
    guard let thread = thread.take() else { return }
    isStopped.store(true, ordering: .relaxed)
    driver.end()
    stop.raise()
    for _ in 0 ..< Self.patienceMilliseconds where ending == nil { usleep(1_000) }
    if ending == nil { output?.giveUp() }
    thread.join()
  }

  private func noteClipped() { clipped.store(sink.clippedSampleCount, ordering: .relaxed) }

  fileprivate func run() {
    var ending = Ending.done
    do {
      _ = try driver.render(engine, from: source, to: sink) { _ in
        noteClipped()
      }
      if !isStopped.load(ordering: .relaxed) { try output?.close() }
    } catch {
      ending = .failed("\(error)")
    }
    noteClipped()
    if isStopped.load(ordering: .relaxed) { ending = .stopped }
    result.withLock { $0 = ending }
    onEnd()
  }
}

nonisolated private func pipeThread(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  crealtime_separate_folder()
  if let context { Unmanaged<PipeRun>.fromOpaque(context).takeUnretainedValue().run() }
  return nil
}

/// A stream as the source of a rendering: waits for each block to be whole.
private final class PipeSource: FrameSource {
  private let input: PipeInput
  private let stop: Int32
  private var hasEnded = false

  init(_ input: PipeInput, stop: Int32) {
    self.input = input
    self.stop = stop
  }

  var channelCount: Int { input.format.channelCount }
  var frameCount: Int? { nil }
  var note: String? { input.note }

  func read(
    into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws -> Int {
    var done = 0
    while done < frameCount, !hasEnded {
      done += input.take(into: channels, offset: done, atMost: frameCount - done)
      guard done < frameCount else { break }
      switch try input.receive(milliseconds: -1, stop: stop) {
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
