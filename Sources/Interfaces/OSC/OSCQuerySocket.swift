// OSCQuerySocket.swift: a WebSocket of an OSCQuery client. SPDX-License-Identifier: MIT

import HostModel
import NIOCore
import NIOWebSocket
import WebServer

/// Reads `LISTEN`, `IGNORE` and binary packets, and sends values and changed paths. [event loop]
final class OSCQuerySocket: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  /// The longest text of a client in bytes.
  private static let longestTextBytes = 4_096

  private let peer: OSCPeer
  private let surface: OSCSurface
  private let channels: OSCChannels
  private let server: OSCQueryServer
  private let pingSeconds: Double
  private var channel: (any Channel)?
  /// The parts of a message that is not complete.
  private var fragments: (opcode: WebSocketOpcode, data: ByteBuffer)?
  private var isAlive = true
  private var isClosing = false
  private var pings: RepeatedTask?

  init(
    _ peer: OSCPeer, _ surface: OSCSurface, _ channels: OSCChannels, _ server: OSCQueryServer,
    pingSeconds: Double
  ) {
    (self.peer, self.surface, self.channels) = (peer, surface, channels)
    (self.server, self.pingSeconds) = (server, pingSeconds)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    self.channel = channel
    channels.add(peer, channel) { packet in Self.send(packet, on: channel) }
    surface.addListener(peer)
    server.add(self)
    let interval = TimeAmount.seconds(pingSeconds)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    pings = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      bound.value.ping()
    }
  }

  /// Each message is a frame, because not all clients read bundles.
  private static func send(_ packet: OSCPacket, on channel: any Channel) {
    if case .bundle(_, let packets) = packet {
      for packet in packets { send(packet, on: channel) }
      return
    }
    let data = ByteBuffer(bytes: packet.bytes)
    channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .binary, data: data), promise: nil)
  }

  /// Sends a text; a client that does not read is disconnected, because it would miss a change of the paths.
  func send(_ text: String) {
    guard let channel else { return }
    guard channel.isWritable else { return channel.close(promise: nil) }
    let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
    channel.writeAndFlush(frame, promise: nil)
  }

  private func ping() {
    guard isAlive else {
      channel?.close(promise: nil)
      return
    }
    isAlive = false
    let frame = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())
    channel?.writeAndFlush(frame, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    pings?.cancel()
    server.remove(self)
    channels.remove(peer)
    surface.forget(peer)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { close(.protocolError) }

  // MARK: - Frames

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    isAlive = true
    guard !isClosing else { return }
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return close(.protocolError)
    }
    switch frame.opcode {
    case .text, .binary, .continuation: join(frame)
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
      channel?.writeAndFlush(pong, promise: nil)
    case .pong: break
    case .connectionClose: close(.normalClosure)
    default: close(.protocolError)
    }
  }

  private func join(_ frame: WebSocketFrame) {
    guard (fragments == nil) == (frame.opcode != .continuation) else {
      return close(.protocolError)
    }
    var part = frame.unmaskedData
    var message = fragments ?? (frame.opcode, ByteBuffer())
    let limit =
      message.opcode == .text ? Self.longestTextBytes : OSCDecoder.longestPacketBytes
    guard message.data.readableBytes + part.readableBytes <= limit else {
      return close(.messageTooLarge)
    }
    message.data.writeBuffer(&part)
    fragments = frame.fin ? nil : message
    guard frame.fin else { return }
    if message.opcode == .binary {
      surface.receive(Array(message.data.readableBytesView), from: peer)
    } else {
      carryOut(Array(message.data.readableBytesView))
    }
  }

  private func carryOut(_ text: [UInt8]) {
    guard let json = try? JSONParser.parse(text), case .string(let command)? = json["COMMAND"]
    else { return close(.unacceptableData) }
    guard case .string(let path)? = json["DATA"] else { return }
    // Other commands are optional, and are ignored.
    if command == "LISTEN" { surface.setListening(true, to: path, for: peer) }
    if command == "IGNORE" { surface.setListening(false, to: path, for: peer) }
  }

  private func close(_ code: WebSocketErrorCode) {
    guard !isClosing else { return }
    isClosing = true
    channel?.closeWebSocket(code)
  }
}
