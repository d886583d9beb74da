// WebServer.swift: the HTTP and WebSocket interface of a session. SPDX-License-Identifier: MIT

import Control
import Dispatch
import Glibc
import HostModel
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import RealtimeKit

/// Serves the web page, and carries out the commands of WebSockets and of single HTTP requests.
///
/// One thread reads all connections. Each signed-in WebSocket has the two threads of a client. Neither the session's
/// main thread nor its audio thread ever waits for a client.
package final class WebServer: HostInterface, Sendable {
  /// The address without the token, for messages.
  package let address: String?
  private let port: any CommandPort
  private let access: AccessControl
  private let limits: WebLimits
  /// Runs until the process ends, because threads of clients may still use it after `stop`.
  private static let group = withSignalsBlocked {
    MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }
  private let listener: any Channel
  private let channels: OpenChannels
  private let clients = ConnectionTable()

  /// Serves connections of a socket. [main]
  ///
  /// - Throws: errors of the system.
  init(
    _ socket: BoundPort, address: String, _ port: any CommandPort, _ access: AccessControl,
    _ limits: WebLimits = WebLimits()
  ) throws {
    (self.address, self.port, self.access, self.limits) = (address, port, access, limits)
    channels = OpenChannels(limit: limits.connectionCount)
    guard let descriptor = socket.take().first else {
      preconditionFailure("the socket is used twice")
    }
    let router = WebRouter(port, access, limits)
    let setUp = Connections(
      router: router, channels: channels, clients: clients, port: port, access: access,
      limits: limits)
    listener = try ServerBootstrap(group: Self.group)
      .serverChannelOption(.backlog, value: 128)
      .childChannelOption(.maxMessagesPerRead, value: 4)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { setUp.begin($0) }
      .withBoundSocket(descriptor).wait()
  }

  /// Accepts no more connections, and waits a moment for replies and events to be sent. [main]
  package func stop() {
    try? listener.close().wait()
    let end = DispatchTime.now() + limits.client.endSeconds
    while !clients.isSent, DispatchTime.now() < end { usleep(1_000) }
    channels.closeAll()
    while channels.count > 0, DispatchTime.now() < end { usleep(1_000) }
  }
}

/// Sets up the connections of a server. [event loop]
private struct Connections: Sendable {
  let router: WebRouter
  let channels: OpenChannels
  let clients: ConnectionTable
  let port: any CommandPort
  let access: AccessControl
  let limits: WebLimits

  func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard channels.admit(channel) else { return channel.close() }
    return channel.eventLoop.makeCompletedFuture {
      try HTTPPipeline.begin(channel, router, upgrader)
    }
  }

  private var upgrader: NIOWebSocketServerUpgrader {
    NIOWebSocketServerUpgrader(
      maxFrameSize: limits.messageBytes, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(Self.acceptance(of: head))
      },
      upgradePipelineHandler: { channel, _ in upgrade(channel) })
  }

  /// Returns the headers with which a WebSocket is accepted; nil if it is refused.
  private static func acceptance(of head: HTTPRequestHead) -> HTTPHeaders? {
    let protocols = head.headers[canonicalForm: "sec-websocket-protocol"]
    guard head.method == .GET, head.uri == WebRouter.socketPath,
      RequestOrigin.refusal(hosts: head.headers["host"], origins: head.headers["origin"]) == nil,
      protocols.contains(WebRouter.subprotocol[...])
    else { return nil }
    return ["Sec-WebSocket-Protocol": WebRouter.subprotocol]
  }

  private func upgrade(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try HTTPPipeline.upgrade(
        channel,
        to: WebSocketHandler(
          access, limits, onSignIn: { channels.signIn(channel) },
          admit: { lines in
            guard let client = clients.admit(lines) else { return false }
            client.start(port, limits.client, in: clients) { lines.close(.normalClosure) }
            return true
          }))
    }
  }
}
