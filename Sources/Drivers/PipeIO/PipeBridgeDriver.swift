// PipeBridgeDriver.swift: adds standard input or output to a card's driver. SPDX-License-Identifier: MIT

package import AudioDriver
import CRealtime
import Glibc
package import RealtimeKit
import Synchronization

/// Adds standard input as a further capture device, and standard output as a further playback
/// device, to a driver.
///
/// The other driver clocks the graph. Streams are served within its blocks, without waiting, by a
/// render callback around the original callback: see `PipeInputState` and `PipeOutputState`. Their
/// channels follow those of the cards.
package final class PipeBridgeDriver: AudioDriver {
  /// The driver that clocks the graph.
  package let driver: any AudioDriver

  private let input: PipeInput?
  private let clock: DeviceRequest.Clock
  private let output: PipeOutput?
  private var renderer: Renderer?
  private var reader: PipeInputReader?
  private var writer: PipeOutputWriter?
  private var blocks: UnsafeMutablePointer<StreamBlocks>?

  /// The counts from earlier renderers.
  private var previousCounts = Counts()

  private struct Counts {
    var faults = 0
    var silentSeconds = 0.0
    var gaps = 0
    var lostSeconds = 0.0
  }

  /// The time until a stalled stream is reported, in nanoseconds.
  static let reportAfterNanoseconds: UInt64 = 300_000_000

  /// Adds streams to the devices of a driver that is open and not started; nothing is read yet.
  /// [main]
  ///
  /// - Parameters:
  ///   - driver: the driver that clocks the graph.
  ///   - input: the input stream; nil for none.
  ///   - clock: `independent` for a live source, `shared` for a non-live source; `automatic`
  ///     detects it.
  ///   - output: the output stream, at the driver's rate; nil for none.
  package init(
    _ driver: any AudioDriver, input: PipeInput?, clock: DeviceRequest.Clock = .automatic,
    output: PipeOutput?
  ) {
    self.driver = driver
    self.input = input
    self.clock = clock
    self.output = output
  }

  deinit {
    stop()
    clear()
    close()
  }

  package var stream: StreamDescription {
    var stream = driver.stream
    if let input {
      var side = PipeDriver.describe(input.format, stream.periodFrames)
      side.isFollowing = true
      stream.inputs.append(side)
    }
    if let output {
      stream.outputs.append(
        PipeDriver.describe(
          "Standard output", output.channelCount, output.format, output.sampleRateHz,
          stream.periodFrames))
    }
    return stream
  }

  package func start(_ renderer: Renderer) throws {
    stop()
    accumulateStatistics()
    clear()
    let blocks = UnsafeMutablePointer<StreamBlocks>.allocate(capacity: 1)
    blocks.initialize(
      to: StreamBlocks(
        renderer, firstInput: driver.stream.inputChannelCount,
        firstOutput: driver.stream.outputChannelCount))
    self.blocks = blocks
    if let input {
      let reader = PipeInputReader(
        input, clock, graphRateHz: renderer.format.sampleRateHz,
        blockFrames: renderer.format.maximumFrameCount)
      self.reader = reader
      blocks.pointee.feed = reader.feed
      blocks.pointee.feedCount = input.format.channelCount
      blocks.pointee.listens = renderer.format.outputChannelCount > 0
    }
    if let output {
      let writer = PipeOutputWriter(output, blockFrames: renderer.format.maximumFrameCount)
      self.writer = writer
      blocks.pointee.drain = writer.drain
    }
    blocks.pointee.finishBuffers()
    self.renderer = renderer
    try reader?.start()
    try writer?.start()
    try driver.start(renderer.wrapped(by: blocks.pointee.callback(at: blocks)))
  }

  package func stop() {
    driver.stop()
    reader?.end()
    writer?.end()
  }

  package func close() {
    driver.close()
    // If even the sizes of the header cannot be written, nobody can receive the error.
    try? output?.close()
  }

  package func supervise() {
    driver.supervise()
    // A header was written, and the data after it must match.
    if output != nil, let rates = driver.rateFollowing, rates.deviceRateHz != nil {
      rates.keepGraphRate()
    }
  }

  package var rateFollowing: (any RateFollowing)? { driver.rateFollowing }
  package var warnings: [String] { driver.warnings }

  /// Messages about the input after it has ended. [main]
  package var endNotes: [String] {
    guard blocks?.pointee.isOver.load(ordering: .acquiring) ?? false else { return driver.endNotes }
    return driver.endNotes + [input?.note].compactMap(\.self)
  }

  package var status: DriverStatus {
    var status = driver.status
    let cards = driver.stream
    var devices = status.devices
    if devices.isEmpty {
      devices =
        cards.inputs.map { DeviceStatus(device: $0.device, isInput: true) }
        + cards.outputs.map { DeviceStatus(device: $0.device, isInput: false) }
    }
    if let reader { devices.insert(inputStatus(reader), at: cards.inputs.count) }
    if let writer { devices.append(outputStatus(writer)) }
    status.devices = devices
    let counts = counts()
    status.xrunCount += counts.faults + counts.gaps
    status.lostSeconds += counts.silentSeconds + counts.lostSeconds
    status.clippedSampleCount += output?.clippedSampleCount ?? 0
    if status.failure == nil, let fault = fault {
      status.failure = fault.description
      status.isStreamFailure = true
    }
    status.hasEnded =
      status.failure == nil && (blocks?.pointee.isOver.load(ordering: .acquiring) ?? false)
    return status
  }

  private var fault: PipeError? {
    if let writer, writer.hasFailed.load(ordering: .acquiring) { return writer.failure }
    if let reader, reader.hasFailed.load(ordering: .acquiring) { return reader.failure }
    return nil
  }

  // MARK: - Status

  private func inputStatus(_ reader: PipeInputReader) -> DeviceStatus {
    var status = DeviceStatus(device: StandardStream.name, isInput: true)
    status.name = "Standard input"
    let feed = reader.feed
    status.resyncCount =
      feed.pointee.dryCount.load(ordering: .relaxed)
      + feed.pointee.overCount.load(ordering: .relaxed)
    if feed.pointee.mode == .followed {
      let drift = Double(bitPattern: feed.pointee.drift.load(ordering: .relaxed))
      if !drift.isNaN {
        status.driftPPM = drift
        status.excessFrames = Double(bitPattern: feed.pointee.excess.load(ordering: .relaxed))
      }
    }
    if feed.pointee.isStalled(dryFor: Self.reportAfterNanoseconds, at: crealtime_nanoseconds()) {
      status.state = .missing
      status.reason = "Standard input stalled. Playing silence until data arrives."
    }
    return status
  }

  private func outputStatus(_ writer: PipeOutputWriter) -> DeviceStatus {
    var status = DeviceStatus(device: StandardStream.name, isInput: false)
    status.name = "Standard output"
    if isLong(writer.drain.pointee.fullSince.load(ordering: .relaxed)) {
      status.state = .missing
      status.reason =
        "The reader of standard output stalled. Output is dropped until it reads again."
    }
    return status
  }

  private func isLong(_ since: UInt64) -> Bool {
    since != 0 && crealtime_nanoseconds() > since + Self.reportAfterNanoseconds
  }

  private func counts() -> Counts {
    var counts = previousCounts
    let rateHz = renderer?.format.sampleRateHz ?? 1
    if let feed = reader?.feed {
      counts.faults +=
        feed.pointee.dryCount.load(ordering: .relaxed)
        + feed.pointee.overCount.load(ordering: .relaxed)
      counts.silentSeconds += Double(feed.pointee.silentFrames.load(ordering: .relaxed)) / rateHz
    }
    if let drain = writer?.drain {
      counts.gaps += drain.pointee.gapCount.load(ordering: .relaxed)
      counts.lostSeconds += Double(drain.pointee.lostFrames.load(ordering: .relaxed)) / rateHz
    }
    return counts
  }

  private func accumulateStatistics() { previousCounts = counts() }

  private func clear() {
    reader = nil
    writer = nil
    guard let blocks = blocks.take() else { return }
    blocks.deinitialize(count: 1)
    blocks.deallocate()
  }
}
