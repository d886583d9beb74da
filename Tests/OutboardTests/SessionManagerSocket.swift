// SessionManagerSocket.swift: a simulated session manager. SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The socket of a session manager, which knows its client by the port.
final class SessionManagerSocket {
  private let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
  private var peer = sockaddr_in()
  private var own = sockaddr_in()
  /// The messages before the one that was found last.
  private(set) var skipped = ""

  init() throws {
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    let status = withUnsafeMutablePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) + getsockname(descriptor, address, &size)
      }
    }
    try #require(status == 0)
  }

  deinit { close(descriptor) }

  /// The value of `NSM_URL`.
  var url: String { "osc.udp://127.0.0.1:\(in_port_t(bigEndian: own.sin_port))/" }
  /// The port of the client.
  var peerPort: in_port_t { peer.sin_port }

  /// Sends a message with texts.
  func send(_ address: String, _ texts: String...) {
    let types = "," + String(repeating: "s", count: texts.count)
    let bytes = ([address, types] + texts).flatMap { text in
      let bytes = Array(text.utf8)
      return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
    }
    _ = withUnsafePointer(to: peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Waits for a message that contains a text; false if none comes.
  func hasMessage(_ text: String) -> Bool {
    skipped = ""
    var bytes = [UInt8](repeating: 0, count: 4_096)
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Longer than the longest preflight of a plugin on a busy machine.
    while poll(&waiting, 1, 120_000) == 1 {
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &peer) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, &bytes, bytes.count, 0, $0, &size)
        }
      }
      guard count > 0 else { return false }
      let message = String(decoding: bytes[..<count], as: UTF8.self)
      if message.contains(text) { return true }
      skipped += message
    }
    return false
  }
}
