// OSCServer.swift: the OSC interface of a session. SPDX-License-Identifier: MIT

import HostModel
import NIOCore
import NIOPosix
import RealtimeKit
import WebServer

/// Receives messages, and sends values to subscribers.
///
/// One thread reads and writes all sockets.
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
  private let datagrams: any Channel
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
    let parts = try eventLoop.submit {
      NIOLoopBound(
        Self.parts(connection, open, limits, port, eventLoop), eventLoop: eventLoop)
    }.wait()
    self.parts = parts
    let descriptors = sockets.take()
    precondition(descriptors.count == 2, "the sockets are used twice")
    datagrams = try DatagramBootstrap(group: eventLoop)
      .channelOption(.maxMessagesPerRead, value: 32)
      .channelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(DatagramHandler(parts.value.surface))
        }
      }
      .withBoundSocket(descriptors[0]).wait()
    listener = try ServerBootstrap(group: eventLoop)
      .serverChannelOption(.backlog, value: 128)
      .childChannelOption(.maxMessagesPerRead, value: 4)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try parts.value.connections.begin(channel) }
      }
      .withBoundSocket(descriptors[1]).wait()
    try eventLoop.submit { [datagrams] in parts.value.channels.datagrams = datagrams }.wait()
  }

  private static func parts(
    _ connection: HostConnection, _ open: OpenChannels, _ limits: WebLimits, _ port: Int,
    _ eventLoop: any EventLoop
  ) -> Parts {
    let channels = OSCChannels()
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
    try? datagrams.close().wait()
    open.closeAll()
    try? eventLoop.submit { [parts] in
      parts.value.observer.stop()
      parts.value.surface.stop()
    }.wait()
  }
}
