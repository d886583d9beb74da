// SequencerWorker.swift: the sequencer's thread. SPDX-License-Identifier: MIT

import CALSA
import CRealtime
import ErrorModel
import Glibc
import RealtimeKit

/// The data of the sequencer thread.
///
/// The thread that creates it uses it until `run` is called; then only `run` uses it, until it
/// returns.
final class SequencerWorker {
  let sequencer: Sequencer
  let ports: SequencerPorts
  let choices: ConnectionPolicy
  let board: SequencerStatusStore
  let stop: UnsafePointer<StopSignal>
  var clock = QueueClock()
  var connections = ConnectionTable()
  var heldNotes = HeldNotes()
  var decoder: MIDIDecoder
  var incoming: MessageBacklog?
  var outgoing: OutgoingMessages?
  /// Receives each message, for a client without rings; nil if there are rings.
  var observer: (@Sendable (SequencerMessage) -> Void)?
  /// Messages to single devices.
  var replies: DeviceReplies?
  private var clockReadAt: UInt64 = 0

  init(
    _ sequencer: Sequencer, _ ports: SequencerPorts, _ choices: ConnectionPolicy,
    _ board: SequencerStatusStore, stop: UnsafePointer<StopSignal>,
    input: UnsafePointer<MessageRing>?, output: UnsafePointer<MessageRing>?
  ) throws(SequencerError) {
    self.sequencer = sequencer
    self.ports = ports
    self.choices = choices
    self.board = board
    self.stop = stop
    decoder = try MIDIDecoder(maximumByteCount: input?.pointee.maximumByteCount ?? 0)
    incoming = input.map { MessageBacklog($0) }
    if let output { outgoing = try OutgoingMessages(output) }
  }

  // MARK: - The loop

  /// Half of the shortest usual period: the engine's messages have a future time, and must be in
  /// the kernel before it.
  private static let outputPollMilliseconds: Int32 = 1
  private static let backlogPollMilliseconds: Int32 = 2
  private static let clockPollMilliseconds: Int32 = 1_000

  /// Transfers messages until the worker is stopped.
  func run() {
    var descriptors = sequencer.pollDescriptors()
    descriptors.append(pollfd(fd: stop.pointee.descriptor, events: Int16(POLLIN), revents: 0))
    if let replies { descriptors.append(replies.outbox.pollDescriptor) }
    while !stop.pointee.isRaised {
      readClockIfDue()
      incoming?.flush()
      guard drainInput() else { break }
      sendAll()
      replies?.send(through: sequencer, ports, clock, connections, board)
      // An interrupted poll only causes one more iteration.
      _ = poll(&descriptors, nfds_t(descriptors.count), pollMilliseconds)
    }
    finish()
  }

  private var pollMilliseconds: Int32 {
    if outgoing != nil { return Self.outputPollMilliseconds }
    if incoming?.isWaiting == true { return Self.backlogPollMilliseconds }
    return Self.clockPollMilliseconds
  }

  private func readClockIfDue() {
    let now = crealtime_nanoseconds()
    guard clock.origin == nil || now - clockReadAt >= 1_000_000_000 else { return }
    readClock()
    clockReadAt = now
  }

  /// Reads the clock several times, because a reading may be interrupted.
  func readClock() {
    for _ in 0 ..< 5 { sequencer.read(ports.queue, into: &clock) }
  }

  // MARK: - Input

  /// Takes all events that have arrived; returns false if the sequencer is not available any more.
  private func drainInput() -> Bool {
    while !stop.pointee.isRaised {
      switch sequencer.receive() {
      case .event(let event): receive(event)
      case .nothing: return true
      case .lost: recoverFromLoss()
      case .failed(let status):
        board.notices.append(.midiFailed(Sequencer.message(status)))
        for source in heldNotes.sources { release(source) }
        return false
      }
    }
    return true
  }

  private func receive(_ event: UnsafePointer<snd_seq_event_t>) {
    if follow(event) { return }
    guard incoming != nil || observer != nil, event.pointee.dest.port == ports.input else { return }
    let source = SequencerAddress(event.pointee.source)
    let time = time(of: event)
    let brokenBefore = decoder.brokenCount
    for message in decoder.decode(event) {
      heldNotes.follow(message, from: source)
      deliver(message, at: time)
      observer?(
        SequencerMessage(
          time: time, source: connections.sources[source] ?? sequencer.name(of: source),
          bytes: message))
    }
    board.count(dropped: decoder.brokenCount - brokenBefore)
  }

  /// Returns when the event arrived in the kernel; never in the future.
  private func time(of event: UnsafePointer<snd_seq_event_t>) -> UInt64 {
    let now = crealtime_nanoseconds()
    let isStamped =
      event.pointee.queue == UInt8(truncatingIfNeeded: ports.queue)
      && Int32(event.pointee.flags) & SND_SEQ_TIME_STAMP_MASK == SND_SEQ_TIME_STAMP_REAL
    guard isStamped else { return now }
    return min(now, clock.monotonic(queue: Sequencer.nanoseconds(event.pointee.time.time)))
  }

  private func deliver(_ message: [UInt8], at time: UInt64) {
    let before = incoming?.droppedCount ?? 0
    incoming?.write(time: time, message)
    board.count(received: 1)
    board.count(dropped: (incoming?.droppedCount ?? 0) - before)
  }

  /// Ends what a disconnected source holds.
  func release(_ source: SequencerAddress) {
    decoder.abandon(source)
    let now = crealtime_nanoseconds()
    for message in heldNotes.release(source) { incoming?.write(time: now, message) }
  }

  /// The kernel dropped all waiting events, possibly ends of notes and announcements.
  private func recoverFromLoss() {
    board.count(dropped: 1)
    for source in heldNotes.sources { release(source) }
    restoreConnections()
  }

  // MARK: - Output

  private func sendAll() {
    outgoing?.send(through: sequencer, ports, clock, board)
  }

  /// Sends the pending messages and ends the notes that were sent to other devices.
  private func finish() {
    guard outgoing != nil else { return }
    sendAll()
    outgoing?.releaseAll(through: sequencer, ports, clock)
    let deadline = crealtime_nanoseconds() + 500_000_000
    while sequencer.waitingEvents(ports.queue) > 0, crealtime_nanoseconds() < deadline {
      usleep(1_000)
    }
  }
}

/// The main function of the thread: `context` is a retained `SequencerWorker`.
func sequencerThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<SequencerWorker>.fromOpaque(context).takeUnretainedValue().run()
  return nil
}
