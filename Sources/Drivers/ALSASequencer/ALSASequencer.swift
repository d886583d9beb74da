// ALSASequencer.swift: MIDI in and out through the kernel's sequencer. SPDX-License-Identifier: MIT

import CALSA
package import ErrorModel
import Glibc
package import RealtimeKit

/// The settings requested of the sequencer.
package struct SequencerRequest: Equatable, Sendable {
  /// The name that other programs show.
  package var clientName = "Outboard"
  /// The input's devices, or nil if the rig takes no MIDI.
  package var input: EndpointSelection?
  /// The output's devices, or nil if the rig sends no MIDI.
  package var output: EndpointSelection?
  /// Whether a missing device is waited for instead of being an error.
  package var waitsForDevices = false

  /// Whether messages are sent at exact times.
  package var needsFineTimer = true

  /// Creates a request without input and output.
  package init() {}
}

/// Transfers MIDI between an engine and the computer's devices and programs.
///
/// Other programs see a client with the ports `in` and `out`. The kernel stamps each message when
/// it arrives and sends each message at its time. The scheduling of our thread therefore has no
/// effect on the timing. A requested device is connected when it appears or returns. When a device
/// disappears, its held notes are ended.
package final class ALSASequencer {
  /// The priority of the thread: below the audio threads, above all ordinary threads.
  package static let priority = RealtimeThread.audioPriority - 10

  private let board = SequencerStatusStore()
  private let sequencer: Sequencer
  private let ports: SequencerPorts
  private let choices: ConnectionPolicy
  private let stopSignal: UnsafeMutablePointer<StopSignal>
  private var worker: SequencerWorker?
  private var thread: RealtimeThread?

  /// Opens the sequencer, creates the ports and checks the names; nothing is connected yet. [main]
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
    let queue = try sequencer.makeQueue(
      usesFinestTimer: request.output != nil && request.needsFineTimer)
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

  /// Connects the present devices, and starts to transfer messages between devices and rings.
  /// [main]
  ///
  /// The rings must live until `stop` returns. The sequencer is the only writer of `input` and the
  /// only reader of `output`. Times are CLOCK_MONOTONIC in nanoseconds.
  package func start(
    input: UnsafePointer<MessageRing>?, output: UnsafePointer<MessageRing>?
  ) throws(SequencerError) {
    stop()
    stopSignal.pointee.reset()
    try run(
      SequencerWorker(
        sequencer, ports, choices, board, stop: UnsafePointer(stopSignal), input: input,
        output: output))
  }

  /// Connects the present devices, and starts to pass each message to a function, on the sequencer's thread. [main]
  ///
  /// - Parameters:
  ///   - outbox: messages to single devices.
  ///   - observer: receives the messages.
  /// - Throws: `SequencerError` if the sequencer or its thread cannot be used.
  package func start(
    outbox: SequencerOutbox, observer: @escaping @Sendable (SequencerMessage) -> Void
  ) throws(SequencerError) {
    stop()
    stopSignal.pointee.reset()
    let worker = try SequencerWorker(
      sequencer, ports, choices, board, stop: UnsafePointer(stopSignal), input: nil, output: nil)
    worker.observer = observer
    worker.replies = try DeviceReplies(outbox)
    try run(worker)
  }

  /// Connects the present devices, starts to pass each message to a function, on the sequencer's thread, and sends the
  /// messages of a ring. [main]
  ///
  /// - Parameters:
  ///   - output: messages to all devices; must live until `stop` returns. Times are CLOCK_MONOTONIC in nanoseconds.
  ///   - observer: receives the messages.
  /// - Throws: `SequencerError` if the sequencer or its thread cannot be used.
  package func start(
    output: UnsafePointer<MessageRing>?, observer: @escaping @Sendable (SequencerMessage) -> Void
  ) throws(SequencerError) {
    stop()
    stopSignal.pointee.reset()
    let worker = try SequencerWorker(
      sequencer, ports, choices, board, stop: UnsafePointer(stopSignal), input: nil,
      output: output)
    worker.observer = observer
    try run(worker)
  }

  private func run(_ worker: SequencerWorker) throws(SequencerError) {
    // Subscribes to announcements first. Otherwise a device that appears during the lookup is missed.
    let announcer = SequencerAddress(
      client: UInt8(SND_SEQ_CLIENT_SYSTEM), port: UInt8(SND_SEQ_PORT_SYSTEM_ANNOUNCE))
    let announcementPort = SequencerAddress(client: ports.client, port: ports.announcements)
    guard sequencer.connect(announcer, to: announcementPort) else {
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

  /// Ends the notes that were sent to other devices, and then the thread. [main]
  ///
  /// Has no effect if not started.
  package func stop() {
    guard let thread = thread.take() else { return }
    stopSignal.pointee.signal()
    thread.join()
    worker = nil
  }

  // MARK: - Status

  /// The current status. [any]
  package var status: SequencerStatus { board.status }

  /// Returns the notices about connections since the last call. [any]
  package func takeNotices() -> [HostNotice] { board.notices.take() }
}

/// The MIDI devices of this computer.
package enum SequencerDevices {
  /// Returns every port that can be connected, in the kernel's order. [main]
  package static func all() throws(SequencerError) -> [SequencerEndpoint] {
    try Sequencer(name: "Outboard's look around").endpoints()
  }
}
