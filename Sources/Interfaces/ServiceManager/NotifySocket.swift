// NotifySocket.swift: tells the service manager how it goes, as sd_notify(3) does. SPDX-License-Identifier: MIT

import Glibc

/// The datagram socket on which a service manager listens.
///
/// The protocol is stable and small, so no library is linked for it. Nothing sent is ever waited
/// for: a manager that is busy costs a message, not a period.
package final class NotifySocket {
  private let descriptor: Int32
  private let address: sockaddr_un
  private let addressLength: socklen_t

  /// The socket that the environment names, in `NOTIFY_SOCKET`; nil where it names none or one that
  /// cannot be.
  ///
  /// Takes the variable away, so that programs started from here do not speak in this one's name.
  /// [main, before other threads]
  package static func fromEnvironment() -> NotifySocket? {
    guard let value = getenv("NOTIFY_SOCKET") else { return nil }
    let name = String(cString: value)
    unsetenv("NOTIFY_SOCKET")
    return NotifySocket(name)
  }

  /// A socket by its path, or by `@` and a name that is in no folder; nil where that cannot be.
  package init?(_ name: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count > 1,
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
      // A path needs the zero behind it, an abstract name has it in front.
      bytes.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return nil }
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    self.address = address
    // Each byte of an abstract name counts, so the length must be exact.
    addressLength = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Sends one message; false where nobody took it. [main]
  @discardableResult
  package func send(_ message: ServiceMessage) -> Bool {
    let bytes = Array(message.text.utf8)
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, flags, $0, addressLength) == bytes.count
      }
    }
  }
}
