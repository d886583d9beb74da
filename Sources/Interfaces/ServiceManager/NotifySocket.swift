// NotifySocket.swift: status messages to the service manager, as in sd_notify(3). SPDX-License-Identifier: MIT

import Glibc

/// The datagram socket of the service manager.
///
/// The protocol is stable and small, so no library is needed. Sending never blocks: if the manager is busy, the
/// message is lost.
package final class NotifySocket {
  private let descriptor: Int32
  private let address: sockaddr_un
  private let addressLength: socklen_t

  /// Opens the socket in `NOTIFY_SOCKET`; nil if there is none or it is invalid. [main, before other threads]
  ///
  /// Removes the variable, so that helper processes do not send messages for this process.
  package static func fromEnvironment() -> NotifySocket? {
    guard let value = unsafe getenv("NOTIFY_SOCKET") else { return nil }
    let name = unsafe String(cString: value)
    unsafe unsetenv("NOTIFY_SOCKET")
    return NotifySocket(name)
  }

  /// Opens a socket by path, or by `@` and an abstract name; nil if that fails.
  package init?(_ name: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count > 1,
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
      // A path needs a zero at the end; an abstract name has a zero at the start.
      bytes.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return nil }
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    self.address = address
    // All bytes of an abstract name are significant, so the length must be exact.
    addressLength = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Sends one message and returns whether it was accepted. [main]
  @discardableResult
  package func send(_ message: ServiceMessage) -> Bool {
    let bytes = Array(message.text.utf8)
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, bytes, bytes.count, flags, $0, addressLength) == bytes.count
      }
    }
  }
}
