// BoundSocket.swift: reserves the port of the server. SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A socket that listens at an address; closed with its last reference.
package final class BoundSocket: Sendable {
  /// The address.
  package let host: String
  /// The port.
  package let port: Int
  /// Whether only programs of this machine can connect.
  let isLoopback: Bool
  /// Whether it is every address of this machine.
  let isEveryAddress: Bool
  private let descriptor: Mutex<Int32>

  /// Binds a socket and listens, so that errors are known before audio starts. [any]
  ///
  /// - Throws: `WebServerError` if the address or port cannot be used.
  package init(_ address: WebAddress) throws(WebServerError) {
    (host, isLoopback) = (address.host, address.isLoopback)
    isEveryAddress = address.isEveryAddress
    if let port = address.port {
      descriptor = Mutex(try Self.bind(address.host, port))
      self.port = port
      return
    }
    let ports = WebAddress.defaultPort ..< WebAddress.defaultPort + WebAddress.triedPortCount
    for port in ports {
      do {
        descriptor = Mutex(try Self.bind(address.host, port))
        self.port = port
        return
      } catch {
        guard case .portTaken = error else { throw error }
      }
    }
    throw .noFreePort(first: ports.lowerBound, last: ports.upperBound - 1)
  }

  deinit { if let number = take() { close(number) } }

  /// Returns the descriptor for a server that closes it; nil if it was taken before. [any]
  func take() -> Int32? {
    descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor >= 0 ? descriptor : nil
    }
  }

  private static func bind(_ host: String, _ port: Int) throws(WebServerError) -> Int32 {
    let family = host.contains(":") ? AF_INET6 : AF_INET
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { throw error(errno, host, port) }
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // A session that restarts uses the port of its former connections.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, size)
    if family == AF_INET6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, size)
    }
    guard bind(descriptor, host, port) == 0, listen(descriptor, 128) == 0 else {
      let number = errno
      close(descriptor)
      throw error(number, host, port)
    }
    return descriptor
  }

  /// Binds to a literal address of either family; returns 0, or -1 with `errno`.
  private static func bind(_ descriptor: Int32, _ host: String, _ port: Int) -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let found else {
      errno = EADDRNOTAVAIL
      return -1
    }
    defer { freeaddrinfo(found) }
    return Glibc.bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen)
  }

  private static func error(_ number: Int32, _ host: String, _ port: Int) -> WebServerError {
    switch number {
    case EADDRINUSE: .portTaken(port)
    case EACCES, EPERM: .forbiddenPort(port)
    case EADDRNOTAVAIL, EAFNOSUPPORT: .unknownAddress(host)
    default:
      .refused(WebAddress.authority(host, port), reason: String(cString: strerror(number)))
    }
  }
}
