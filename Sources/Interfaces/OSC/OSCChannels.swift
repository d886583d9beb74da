// OSCChannels.swift: sends packets to all peers. SPDX-License-Identifier: MIT

import NIOCore

/// The socket for datagrams, and the open connections. [event loop]
final class OSCChannels: OSCSurface.Output {
  private let datagrams: DatagramSocket
  /// Sends a packet to a connection.
  private var senders: [OSCPeer: (channel: any Channel, send: (OSCPacket) -> Void)] = [:]

  init(_ datagrams: DatagramSocket) { self.datagrams = datagrams }

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
    datagrams.send(packet.bytes, host: host, port: port)
  }

  func isReady(_ peer: OSCPeer) -> Bool {
    if case .datagram = peer { return datagrams.isReady }
    return senders[peer]?.channel.isWritable ?? false
  }
}
