// ConnectionHandler.swift: packets on a connection. SPDX-License-Identifier: MIT

import NIOCore

/// Reads the packets of a connection, and writes those for it. [event loop]
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var framing: OSCFraming
  private let peer: OSCPeer
  private let surface: OSCSurface
  private let channels: OSCChannels
  private let onPacket: () -> Void

  /// - Parameters:
  ///   - framing: how packets are divided.
  ///   - peer: the connection.
  ///   - surface: carries packets out.
  ///   - channels: all connections.
  ///   - onPacket: called for each packet that could be read.
  init(
    _ framing: OSCFraming, _ peer: OSCPeer, _ surface: OSCSurface, _ channels: OSCChannels,
    onPacket: @escaping () -> Void
  ) {
    (self.framing, self.peer, self.surface) = (framing, peer, surface)
    (self.channels, self.onPacket) = (channels, onPacket)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let (channel, framing) = (context.channel, framing)
    channels.add(peer, channel) { packet in
      channel.writeAndFlush(ByteBuffer(bytes: framing.frame(packet.bytes)), promise: nil)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    do throws(OSCFormatError) {
      for packet in try framing.append(unwrapInboundIn(data).readableBytesView) {
        switch packet {
        case .success(let bytes):
          onPacket()
          surface.receive(bytes, from: peer)
        case .failure(let error): surface.refuse(error, from: peer)
        }
      }
    } catch {
      surface.refuse(error, from: peer)
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    channels.remove(peer)
    surface.forget(peer)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
