// SequencerOutbox.swift: messages to single devices. SPDX-License-Identifier: MIT

import CALSA
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// A message from a device.
package struct SequencerMessage: Sendable, Equatable {
  /// When it arrived, CLOCK_MONOTONIC in nanoseconds.
  package var time: UInt64
  /// The name of the device and its port, as in `SequencerEndpoint.name`.
  package var source: String
  /// A complete message.
  package var bytes: [UInt8]
}

/// Messages that wait for the sequencer's thread.
package final class SequencerOutbox: Sendable {
  /// A limit for a device that does not take its messages.
  private static let maximumCount = 1_000

  private let messages = Mutex<[(device: String, bytes: [UInt8])]>([])
  private let signal = Box()

  /// Carries the signal, whose members may be used by any thread.
  private final class Box: @unchecked Sendable {
    // Unchecked because `StopSignal` is not `Sendable`; it is written by one thread and read by another.
    let signal = StopSignal()
  }

  /// Creates an empty outbox.
  package init() {}

  /// Adds a message; the oldest ones are dropped if there are too many. [any]
  package func send(_ bytes: [UInt8], to device: String) {
    messages.withLock { messages in
      messages.append((device, bytes))
      messages.removeFirst(max(0, messages.count - Self.maximumCount))
    }
    signal.signal.signal()
  }

  /// Becomes readable when there are messages.
  var pollDescriptor: pollfd {
    pollfd(fd: signal.signal.descriptor, events: Int16(POLLIN), revents: 0)
  }

  /// Returns and clears the messages. [sequencer thread]
  func take() -> [(device: String, bytes: [UInt8])] {
    guard signal.signal.isRaised else { return [] }
    signal.signal.reset()
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}

/// Sends messages to single devices. [sequencer thread]
struct DeviceReplies {
  let outbox: SequencerOutbox
  private var encoder: MIDIEncoder
  /// The port of each device; nil if it receives nothing.
  private var addresses: [String: SequencerAddress?] = [:]

  init(_ outbox: SequencerOutbox) throws(SequencerError) {
    self.outbox = outbox
    encoder = try MIDIEncoder()
  }

  /// Resolves the names of devices again, because one appeared or disappeared.
  mutating func clearAddresses() { addresses = [:] }

  /// Sends all messages whose devices are connected.
  mutating func send(
    through sequencer: Sequencer, _ ports: SequencerPorts, _ clock: QueueClock,
    _ connections: ConnectionTable, _ board: SequencerStatusStore
  ) {
    let messages = outbox.take()
    guard let port = ports.output, !messages.isEmpty else { return }
    let now = clock.queue(monotonic: crealtime_nanoseconds())
    for message in messages {
      guard let address = address(of: message.device, sequencer, ports, connections) else {
        continue
      }
      encoder.begin(message.bytes)
      while var event = encoder.next() {
        let isSent = sequencer.send(&event, from: port, ports.queue, at: now, to: address)
        if isSent { board.count(sent: 1) } else { board.count(dropped: 1) }
      }
    }
  }

  private mutating func address(
    of device: String, _ sequencer: Sequencer, _ ports: SequencerPorts,
    _ connections: ConnectionTable
  ) -> SequencerAddress? {
    if let known = addresses[device] { return known }
    let address = Self.look(for: device, sequencer.endpoints(), connections)
    // A hardware port sends only while it has a connection.
    if let address, let outputAddress = ports.outputAddress {
      _ = sequencer.connect(outputAddress, to: address)
    }
    addresses[device] = .some(address)
    return address
  }

  /// Returns the port of the device that a source with this name belongs to.
  private static func look(
    for device: String, _ endpoints: [SequencerEndpoint], _ connections: ConnectionTable
  ) -> SequencerAddress? {
    let source =
      connections.sources.filter { $0.value == device }.keys.min()
      ?? EndpointName(device).matches(endpoints.filter(\.isSource)).first?.address
    guard let source else { return nil }
    let ports = endpoints.filter { $0.isDestination && $0.address.client == source.client }
    return (ports.first { $0.address == source } ?? ports.first)?.address
  }
}
