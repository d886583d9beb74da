// ALSASequencer.swift: MIDI in and out through the kernel's sequencer. SPDX-License-Identifier: MIT

import CALSA
import Glibc
package import RealtimeKit

/// The settings requested of the sequencer.
package struct SequencerRequest: Equatable, Sendable {
  /// The name that other programs see.
  package var clientName = "Outboard"
  /// The input's devices, or nil if the rig takes no MIDI.
  package var input: EndpointSelection?
  /// What the output reaches; nil where the rig sends no MIDI.
  package var output: EndpointSelection?
  /// Whether a device that is not there is waited for instead of refused.
  package var waitsForDevices = false

  /// Neither input nor output.
  package init() {}
}

/// MIDI between an engine and the machine's devices and programs.
///
/// Other programs see a client with the ports `in` and `out`. The kernel stamps each message when
/// it arrives and sends each message at its time. The scheduling of our thread therefore has no
/// effect on the timing. A requested device is connected when it appears or returns. When a device
/// disappears, its held notes are ended.
package final class ALSASequencer {
  /// Below the audio, above all ordinary work.
  package static let priority = RealtimeThread.audioPriority - 10

  private let board = SequencerStatusStore()
  private let sequencer: Sequencer
  private let ports: SequencerPorts
  private let choices: ConnectionPolicy
  private let stopSignal: UnsafeMutablePointer<StopSignal>
  private var worker: SequencerWorker?
  private var thread: RealtimeThread?

  /// Opens the sequencer, makes the ports and checks the names; nothing is connected yet. [main]
  package init(_ request: SequencerRequest) throws(SequencerError) {
    sequencer = try Sequencer(name: request.clientName)
    let endpoints = sequencer.endpoints()
    let sources = endpoints.filter(\.isSource)
    let destinations = endpoints.filter(\.isDestination)
    if !request.waitsForDevices {
      try request.input?.check(sources, .input)
      try request.output?.check(destinations, .output)
    }
    sequencer.enlargePools()
    ports = try Self.makePorts(sequencer, request)
    choices = ConnectionPolicy(
      input: request.input?.withoutNumbers(sources) ?? .none,
      output: request.output?.withoutNumbers(destinations) ?? .none)
    stopSignal = .allocate(capacity: 1)
    stopSignal.initialize(to: StopSignal())
  }

  deinit {
    stop()
    stopSignal.deinitialize(count: 1)
    stopSignal.deallocate()
  }

  private static func makePorts(
    _ sequencer: Sequencer, _ request: SequencerRequest
  ) throws(SequencerError) -> SequencerPorts {
    let queue = try sequencer.makeQueue(isFine: request.output != nil)
    var input: UInt8?
    var output: UInt8?
    if request.input != nil { input = try sequencer.makePort("in", .input, stampedBy: queue) }
    if request.output != nil { output = try sequencer.makePort("out", .output, stampedBy: queue) }
    let announcements = try sequencer.makePort("announcements", .announcements, stampedBy: queue)
    return SequencerPorts(
      client: sequencer.client, input: input, output: output, announcements: announcements,
      queue: queue)
  }

  // MARK: - Running

  /// Connects what is there, and begins to move messages between the devices and the rings.
  ///
  /// The rings must live until `stop` returns; of `input` this is the only writer, of `output` the
  /// only reader. Times are CLOCK_MONOTONIC in nanoseconds. [main]
  package func start(
    input: UnsafePointer<MessageRing>?, output: UnsafePointer<MessageRing>?
  ) throws(SequencerError) {
    stop()
    stopSignal.pointee.lower()
    let worker = try SequencerWorker(
      sequencer, ports, choices, board, stop: UnsafePointer(stopSignal), input: input,
      output: output)
    // First the announcements: what comes while we look is then not missed.
    let announcer = SequencerAddress(
      client: UInt8(SND_SEQ_CLIENT_SYSTEM), port: UInt8(SND_SEQ_PORT_SYSTEM_ANNOUNCE))
    let own = SequencerAddress(client: ports.client, port: ports.announcements)
    guard sequencer.connect(announcer, to: own) else {
      throw .refused(step: "announce devices", reason: "the subscription was refused")
    }
    worker.connectAll()
    worker.readClock()
    self.worker = worker
    do {
      thread = try RealtimeThread(
        priority: Self.priority, entry: sequencerThread,
        context: Unmanaged.passUnretained(worker).toOpaque())
    } catch {
      throw .refused(step: "create a thread", reason: String(cString: strerror(error.error)))
    }
  }

  /// Ends the notes that were sent to other devices, and then the thread.
  ///
  /// Has no effect if not started. [main]
  package func stop() {
    guard let thread = thread.take() else { return }
    stopSignal.pointee.raise()
    thread.join()
    worker = nil
  }

  // MARK: - Watching

  /// How it goes. [any]
  package var status: SequencerStatus { board.status }

  /// What happened to connections since the last call, one sentence each. [any]
  package func takeNotices() -> [String] { board.takeNotices() }
}

/// The MIDI devices of this machine.
package enum SequencerDevices {
  /// Every port that others can be connected to, in the kernel's order. [main]
  package static func all() throws(SequencerError) -> [SequencerEndpoint] {
    try Sequencer(name: "Outboard's look around").endpoints()
  }
}
