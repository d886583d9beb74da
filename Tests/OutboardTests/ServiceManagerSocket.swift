// ServiceManagerSocket.swift: a simulated service manager. SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The socket of a service manager.
final class ServiceManagerSocket {
  let name = "@outboard-service-\(UUID().uuidString)"
  private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

  init() throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = [0] + Array(name.utf8.dropFirst())
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let status = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(status == 0)
  }

  deinit { close(descriptor) }

  /// The messages up to the first with this prefix; nil if it does not come.
  func messages(until start: String) -> [String]? {
    var messages: [String] = []
    var bytes = [UInt8](repeating: 0, count: 4_096)
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Longer than the longest preflight of a plugin on a busy machine.
    while poll(&waiting, 1, 120_000) == 1 {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { return nil }
      messages.append(String(decoding: bytes[..<count], as: UTF8.self))
      if messages.last?.hasPrefix(start) == true { return messages }
    }
    return nil
  }

  /// Discards the messages so far.
  func forget() {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
  }
}
