// OSCServer.swift: the OSC interface of a session. SPDX-License-Identifier: MIT

import HostModel
import NIOCore
import NIOPosix
import RealtimeKit
import WebServer

/// Receives messages, and sends values to subscribers.
///
/// One thread reads and writes all connections, and sends all packets. Another one receives datagrams.
final class OSCServer: HostInterface, Sendable {
  /// The parts that belong to one thread.
  private struct Parts {
    let channels: OSCChannels
    let surface: OSCSurface
    let observer: OSCObserver
    let query: OSCQueryServer
    let connections: OSCConnections
  }

  /// The address for messages.
  let address: String?
  /// Runs until the process ends, because replies of the session may still arrive after `stop`.
  private static let group = withSignalsBlocked {
    MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }
  private let eventLoop: any EventLoop
  private let datagrams: DatagramSocket
  private let listener: any Channel
  private let open: OpenChannels
  private let parts: NIOLoopBound<Parts>

  /// Receives at sockets that are bound. [main]
  ///
  /// - Throws: errors of the system.
  init(_ sockets: BoundPort, address: String, _ connection: HostConnection) throws {
    self.address = address
    let eventLoop = Self.group.next()
    self.eventLoop = eventLoop
    let limits = WebLimits()
    let open = OpenChannels(limit: limits.connectionCount)
    self.open = open
    let port = sockets.port
    let descriptors = sockets.take()
    precondition(descriptors.count == 2, "the sockets are used twice")
    let datagrams = DatagramSocket(descriptors[0])
    self.datagrams = datagrams
    let parts = try eventLoop.submit {
      NIOLoopBound(
        Self.parts(connection, datagrams, open, limits, port, eventLoop), eventLoop: eventLoop)
    }.wait()
    self.parts = parts
    listener = try ServerBootstrap(group: eventLoop)
      .serverChannelOption(.backlog, value: 128)
      .childChannelOption(.maxMessagesPerRead, value: 4)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try parts.value.connections.begin(channel) }
      }
      .withBoundSocket(descriptors[1]).wait()
    try start(connection.port)
  }

  /// Begins to receive datagrams.
  private func start(_ port: any CommandPort) throws {
    let (eventLoop, parts) = (eventLoop, parts)
    let (shortcuts, client) = try eventLoop.submit {
      (parts.value.surface.shortcuts, parts.value.surface.client)
    }.wait()
    let failure = datagrams.start { packet, peer in
      if let (target, value, isFirst) = shortcuts.take(packet, from: peer) {
        if isFirst {
          eventLoop.scheduleTask(in: .milliseconds(20)) { parts.value.surface.refresh() }
        }
        if port.set(target.symbol, ofNode: target.node, to: value, from: client) { return }
      }
      shortcuts.begin()
      let bytes = Array(packet)
      eventLoop.execute {
        parts.value.surface.receive(bytes, from: peer)
        shortcuts.end()
      }
    }
    if let failure { throw IOError(errnoCode: failure, reason: "pthread_create") }
  }

  private static func parts(
    _ connection: HostConnection, _ datagrams: DatagramSocket, _ open: OpenChannels,
    _ limits: WebLimits, _ port: Int, _ eventLoop: any EventLoop
  ) -> Parts {
    let channels = OSCChannels(datagrams)
    let surface = OSCSurface(
      connection.port, channels, on: eventLoop, notify: connection.notify)
    let observer = OSCObserver(connection.port, surface, on: eventLoop)
    let query = OSCQueryServer(
      surface, PluginDetailsCache(connection.port, on: eventLoop),
      name: "Outboard \(connection.sessionName)", port: port)
    observer.onAddresses = { [weak query] in query?.report(from: $0, to: $1) }
    return Parts(
      channels: channels, surface: surface, observer: observer, query: query,
      connections: OSCConnections(surface, channels, query, open, limits))
  }

  /// Closes the sockets. [main]
  func stop() {
    try? listener.close().wait()
    datagrams.stop()
    open.closeAll()
    try? eventLoop.submit { [parts] in
      parts.value.observer.stop()
      parts.value.surface.stop()
    }.wait()
  }
}
