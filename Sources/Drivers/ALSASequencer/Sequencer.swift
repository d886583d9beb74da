// Sequencer.swift: an open sequencer client. SPDX-License-Identifier: MIT

import CALSA
import CRealtime
import Glibc

/// The owner of a sequencer client, which it closes with its ports and queue.
///
/// One thread at a time uses it: first the thread that creates it, then the sequencer thread.
final class Sequencer {
  private let handle: OpaquePointer
  /// The number of this client.
  let client: UInt8

  /// Opens the kernel's sequencer. [main]
  init(name: String) throws(SequencerError) {
    calsa_silence_messages()
    var handle: OpaquePointer?
    let status = snd_seq_open(
      &handle, "default", Int32(SND_SEQ_OPEN_DUPLEX), Int32(SND_SEQ_NONBLOCK))
    guard status >= 0, let handle else {
      switch -status {
      case ENOENT, ENODEV, ENXIO: throw .noSequencer
      case EACCES, EPERM: throw .notPermitted
      default: throw .refused(step: "be opened", reason: Self.message(status))
      }
    }
    self.handle = handle
    client = UInt8(truncatingIfNeeded: snd_seq_client_id(handle))
    snd_seq_set_client_name(handle, name)
  }

  deinit {
    snd_seq_close(handle)
  }

  /// Returns ALSA's message for a negative status.
  static func message(_ status: Int32) -> String {
    snd_strerror(status).map { String(cString: $0) } ?? "error \(-status)"
  }

  private static func check(_ status: Int32, _ step: String) throws(SequencerError) {
    if status < 0 { throw .refused(step: step, reason: message(status)) }
  }

  // MARK: - This client

  /// The size of the event pools: the kernel's maximum, for a burst of messages.
  static let poolEvents = 2_000

  /// Requests the largest event pools that the kernel allows. [main]
  func enlargePools() {
    snd_seq_set_client_pool_output(handle, Self.poolEvents)
    snd_seq_set_client_pool_input(handle, Self.poolEvents)
    snd_seq_set_input_buffer_size(handle, 65_536)
  }

  /// The role of a port of this client.
  enum PortRole {
    /// Receives MIDI from other clients.
    case input
    /// Sends MIDI to other clients.
    case output
    /// Receives only the system's announcements, and is hidden.
    case announcements

    var capabilities: UInt32 {
      switch self {
      case .input: UInt32(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE)
      case .output: UInt32(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ)
      case .announcements: UInt32(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_NO_EXPORT)
      }
    }
  }

  /// Creates a port; events that arrive at it get the queue's time. [main]
  func makePort(_ name: String, _ role: PortRole, stampedBy queue: Int32) throws(SequencerError)
    -> UInt8
  {
    var info: OpaquePointer?
    guard snd_seq_port_info_malloc(&info) >= 0, let info else {
      throw .refused(step: "create a port", reason: Self.message(-ENOMEM))
    }
    defer { snd_seq_port_info_free(info) }
    snd_seq_port_info_set_name(info, name)
    snd_seq_port_info_set_capability(info, role.capabilities)
    snd_seq_port_info_set_type(
      info,
      UInt32(
        SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_SOFTWARE
          | SND_SEQ_PORT_TYPE_APPLICATION))
    snd_seq_port_info_set_midi_channels(info, 16)
    snd_seq_port_info_set_timestamping(info, 1)
    snd_seq_port_info_set_timestamp_real(info, 1)
    snd_seq_port_info_set_timestamp_queue(info, queue)
    try Self.check(snd_seq_create_port(handle, info), "create a port")
    return UInt8(truncatingIfNeeded: snd_seq_port_info_get_port(info))
  }

  /// Creates and starts a queue; `usesFinestTimer` requests the finest ticks of the kernel, because messages
  /// are sent on ticks. [main]
  func makeQueue(usesFinestTimer: Bool) throws(SequencerError) -> Int32 {
    let queue = snd_seq_alloc_named_queue(handle, "Outboard")
    try Self.check(queue, "create a queue")
    if usesFinestTimer { refine(queue) }
    try Self.check(
      snd_seq_control_queue(handle, queue, Int32(SND_SEQ_EVENT_START.rawValue), 0, nil),
      "start its queue")
    try Self.check(snd_seq_drain_output(handle), "start its queue")
    return queue
  }

  /// Refines the ticks; if that is rejected, the default of one millisecond remains.
  private func refine(_ queue: Int32) {
    var timer: OpaquePointer?
    guard snd_seq_queue_timer_malloc(&timer) >= 0, let timer else { return }
    defer { snd_seq_queue_timer_free(timer) }
    guard snd_seq_get_queue_timer(handle, queue, timer) >= 0 else { return }
    // In Hz; the kernel limits it to its maximum, 6250.
    snd_seq_queue_timer_set_resolution(timer, UInt32(Int32.max))
    snd_seq_set_queue_timer(handle, queue, timer)
  }

  // MARK: - Other clients

  /// Returns the ports that can be connected.
  func endpoints() -> [SequencerEndpoint] {
    var endpoints: [SequencerEndpoint] = []
    var clientInfo: OpaquePointer?
    var portInfo: OpaquePointer?
    guard snd_seq_client_info_malloc(&clientInfo) >= 0, let clientInfo else { return [] }
    defer { snd_seq_client_info_free(clientInfo) }
    guard snd_seq_port_info_malloc(&portInfo) >= 0, let portInfo else { return [] }
    defer { snd_seq_port_info_free(portInfo) }
    snd_seq_client_info_set_client(clientInfo, -1)
    while snd_seq_query_next_client(handle, clientInfo) >= 0 {
      let number = snd_seq_client_info_get_client(clientInfo)
      // The system's timer and announcements are not MIDI ports.
      guard number != 0, number != Int32(client) else { continue }
      let name = snd_seq_client_info_get_name(clientInfo).map { String(cString: $0) } ?? ""
      snd_seq_port_info_set_client(portInfo, number)
      snd_seq_port_info_set_port(portInfo, -1)
      while snd_seq_query_next_port(handle, portInfo) >= 0 {
        if let endpoint = Self.endpoint(portInfo, clientName: name) { endpoints.append(endpoint) }
      }
    }
    return endpoints
  }

  /// Returns the readable name of a port, also of one that cannot be connected, such as a player's.
  func name(of address: SequencerAddress) -> String {
    if let endpoint = endpoints().first(where: { $0.address == address }) { return endpoint.name }
    var info: OpaquePointer?
    guard snd_seq_client_info_malloc(&info) >= 0, let info else { return address.description }
    defer { snd_seq_client_info_free(info) }
    guard snd_seq_get_any_client_info(handle, Int32(address.client), info) >= 0,
      let name = snd_seq_client_info_get_name(info)
    else { return address.description }
    return String(cString: name)
  }

  /// Returns a port that can be connected; nil for others.
  private static func endpoint(_ info: OpaquePointer, clientName: String) -> SequencerEndpoint? {
    let capabilities = Int32(bitPattern: snd_seq_port_info_get_capability(info))
    func can(_ bits: Int32) -> Bool { capabilities & bits == bits }
    let isSource = can(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ)
    let isDestination = can(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE)
    guard isSource || isDestination, !can(SND_SEQ_PORT_CAP_NO_EXPORT) else { return nil }
    let type = Int32(bitPattern: snd_seq_port_info_get_type(info))
    return SequencerEndpoint(
      address: SequencerAddress(
        client: UInt8(truncatingIfNeeded: snd_seq_port_info_get_client(info)),
        port: UInt8(truncatingIfNeeded: snd_seq_port_info_get_port(info))),
      clientName: clientName,
      portName: snd_seq_port_info_get_name(info).map { String(cString: $0) } ?? "",
      isHardware: type & SND_SEQ_PORT_TYPE_HARDWARE != 0, isSource: isSource,
      isDestination: isDestination)
  }

  /// Connects `source` to `destination`; returns true if they are connected afterwards.
  func connect(_ source: SequencerAddress, to destination: SequencerAddress) -> Bool {
    var subscription: OpaquePointer?
    guard snd_seq_port_subscribe_malloc(&subscription) >= 0, let subscription else { return false }
    defer { snd_seq_port_subscribe_free(subscription) }
    var sender = source.native
    var receiver = destination.native
    snd_seq_port_subscribe_set_sender(subscription, &sender)
    snd_seq_port_subscribe_set_dest(subscription, &receiver)
    let status = snd_seq_subscribe_port(handle, subscription)
    return status >= 0 || status == -EBUSY
  }

  // MARK: - Time

  /// Reads the queue's time into `clock`.
  func read(_ queue: Int32, into clock: inout QueueClock) {
    var status: OpaquePointer?
    guard snd_seq_queue_status_malloc(&status) >= 0, let status else { return }
    defer { snd_seq_queue_status_free(status) }
    guard snd_seq_get_queue_status(handle, queue, status) >= 0,
      let time = snd_seq_queue_status_get_real_time(status)
    else { return }
    clock.synchronize(queue: Self.nanoseconds(time.pointee), after: crealtime_nanoseconds())
  }

  /// Returns the number of events that wait for their time.
  func waitingEvents(_ queue: Int32) -> Int {
    var status: OpaquePointer?
    guard snd_seq_queue_status_malloc(&status) >= 0, let status else { return 0 }
    defer { snd_seq_queue_status_free(status) }
    guard snd_seq_get_queue_status(handle, queue, status) >= 0 else { return 0 }
    return Int(snd_seq_queue_status_get_events(status))
  }

  static func nanoseconds(_ time: snd_seq_real_time_t) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  // MARK: - Events

  /// The result of `receive`.
  enum ReceiveResult {
    /// An event, valid until the next call.
    case event(UnsafePointer<snd_seq_event_t>)
    /// No event at present.
    case nothing
    /// The kernel had no room for some events, and dropped them.
    case lost
    /// The sequencer is not available any more.
    case failed(Int32)
  }

  /// Returns the next event that arrived.
  func receive() -> ReceiveResult {
    var event: UnsafeMutablePointer<snd_seq_event_t>?
    let status = snd_seq_event_input(handle, &event)
    switch -status {
    case EAGAIN, EINTR: return .nothing
    case ENOSPC: return .lost
    case let error where error > 0: return .failed(status)
    default: return event.map { .event(UnsafePointer($0)) } ?? .nothing
    }
  }

  /// Sends an event from `port` to its connections, or only to `receiver`, at queue time `time`, in nanoseconds, or at once
  /// if that is in the past.
  ///
  /// Returns false if the kernel has no room at present.
  func send(
    _ event: inout snd_seq_event_t, from port: UInt8, _ queue: Int32, at time: UInt64,
    to receiver: SequencerAddress? = nil
  ) -> Bool {
    event.source = snd_seq_addr_t(client: client, port: port)
    event.dest =
      receiver?.native
      ?? snd_seq_addr_t(
        client: UInt8(SND_SEQ_ADDRESS_SUBSCRIBERS), port: UInt8(SND_SEQ_ADDRESS_UNKNOWN))
    event.queue = UInt8(truncatingIfNeeded: queue)
    event.flags &= ~UInt8(SND_SEQ_TIME_STAMP_MASK | SND_SEQ_TIME_MODE_MASK)
    event.flags |= UInt8(SND_SEQ_TIME_STAMP_REAL | SND_SEQ_TIME_MODE_ABS)
    event.time.time.tv_sec = UInt32(truncatingIfNeeded: time / 1_000_000_000)
    event.time.time.tv_nsec = UInt32(truncatingIfNeeded: time % 1_000_000_000)
    return snd_seq_event_output_direct(handle, &event) != -EAGAIN
  }

  // MARK: - Waiting

  /// Returns the descriptors to poll for arriving events.
  func pollDescriptors() -> [pollfd] {
    let count = snd_seq_poll_descriptors_count(handle, Int16(POLLIN))
    var descriptors = [pollfd](repeating: pollfd(), count: Int(max(0, count)))
    let filled = snd_seq_poll_descriptors(
      handle, &descriptors, UInt32(descriptors.count), Int16(POLLIN))
    return Array(descriptors.prefix(Int(max(0, filled))))
  }
}
