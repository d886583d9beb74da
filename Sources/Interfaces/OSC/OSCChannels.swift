// OSCChannels.swift: sends packets to all peers. SPDX-License-Identifier: MIT

import NIOCore

/// The socket for datagrams, and the open connections. [event loop]
final class OSCChannels: OSCSurface.Output {
  var datagrams: (any Channel)?
  /// Sends a packet to a connection.
  private var senders: [OSCPeer: (channel: any Channel, send: (OSCPacket) -> Void)] = [:]

  /// Adds a connection.
  func add(_ peer: OSCPeer, _ channel: any Channel, send: @escaping (OSCPacket) -> Void) {
    senders[peer] = (channel, send)
  }

  /// Removes a connection.
  func remove(_ peer: OSCPeer) { senders[peer] = nil }

  func send(_ packet: OSCPacket, to peer: OSCPeer) {
    guard case .datagram(let host, let port) = peer else {
      senders[peer]?.send(packet)
      return
    }
    guard let datagrams, let address = try? SocketAddress(ipAddress: host, port: port) else {
      return
    }
    let envelope = AddressedEnvelope(
      remoteAddress: address, data: ByteBuffer(bytes: packet.bytes))
    datagrams.writeAndFlush(envelope, promise: nil)
  }

  func isReady(_ peer: OSCPeer) -> Bool {
    if case .datagram = peer { return datagrams?.isWritable ?? false }
    return senders[peer]?.channel.isWritable ?? false
  }
}
