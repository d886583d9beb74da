// DatagramHandler.swift: packets as datagrams. SPDX-License-Identifier: MIT

import NIOCore

/// Reads datagrams. [event loop]
final class DatagramHandler: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let surface: OSCSurface

  init(_ surface: OSCSurface) { self.surface = surface }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    guard let host = envelope.remoteAddress.ipAddress, let port = envelope.remoteAddress.port else {
      return
    }
    surface.receive(
      Array(envelope.data.readableBytesView), from: .datagram(host: host, port: port))
  }

  /// An error of one datagram does not end the socket.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
