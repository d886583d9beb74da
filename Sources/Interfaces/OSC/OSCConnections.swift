// OSCConnections.swift: sets up the connections of the server. SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import NIOWebSocket
import WebServer

/// Gives connections their handlers. [event loop]
final class OSCConnections {
  private let limits: WebLimits
  private let surface: OSCSurface
  private let channels: OSCChannels
  private let query: OSCQueryServer
  private let open: OpenChannels
  private var lastNumber = 0

  init(
    _ surface: OSCSurface, _ channels: OSCChannels, _ query: OSCQueryServer, _ open: OpenChannels,
    _ limits: WebLimits
  ) {
    (self.surface, self.channels, self.query) = (surface, channels, query)
    (self.open, self.limits) = (open, limits)
  }

  /// Begins to read a connection.
  func begin(_ channel: any Channel) throws {
    guard open.admit(channel) else { return channel.close(promise: nil) }
    let detector = ConnectionDetector(seconds: limits.requestSeconds) { kind, channel in
      try self.add(kind, to: channel)
    }
    try channel.pipeline.syncOperations.addHandler(detector)
  }

  private func peer(of channel: any Channel) -> OSCPeer {
    lastNumber += 1
    return .connection(lastNumber, host: channel.remoteAddress?.ipAddress ?? "")
  }

  private func add(_ kind: OSCFraming.Kind?, to channel: any Channel) throws {
    guard let kind else { return try addHTTP(to: channel) }
    let open = open
    try channel.pipeline.syncOperations.addHandler(
      ConnectionHandler(OSCFraming(kind), peer(of: channel), surface, channels) {
        open.signIn(channel)
      })
  }

  private func addHTTP(to channel: any Channel) throws {
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: OSCDecoder.longestPacketBytes, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(Self.acceptance(of: head))
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture { try bound.value.upgrade(channel) }
      })
    let server = NIOLoopBound(query, eventLoop: channel.eventLoop)
    try HTTPPipeline.begin(channel, OSCQueryResponder(limits: limits, server: server), upgrader)
  }

  /// Returns the headers with which a WebSocket is accepted; nil if it is refused.
  private static func acceptance(of head: HTTPRequestHead) -> HTTPHeaders? {
    let refusal = RequestOrigin.refusal(
      hosts: head.headers["host"], origins: head.headers["origin"])
    return head.method == .GET && refusal == nil ? [:] : nil
  }

  private func upgrade(_ channel: any Channel) throws {
    open.signIn(channel)
    try HTTPPipeline.upgrade(
      channel,
      to: OSCQuerySocket(
        peer(of: channel), surface, channels, query, pingSeconds: limits.pingSeconds))
  }
}
