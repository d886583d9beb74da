// OSCSockets.swift: reserves the port of the server. SPDX-License-Identifier: MIT

import Glibc
import Synchronization
package import WebServer

/// The sockets for datagrams and connections at one port; closed with their last reference.
package final class OSCSockets: Sendable {
  /// The port without a request, or the next free one.
  package static let defaultPort = 9_000
  /// How many ports are tried.
  static let triedPortCount = 20

  /// The address.
  let host: String
  /// The port.
  package let port: Int
  private let descriptors: Mutex<(datagrams: Int32, connections: Int32)>

  /// Reads the argument of `--osc`: `loopback`, `lan`, a port, a literal address, or `ADDRESS:PORT`. [any]
  ///
  /// - Throws: `OSCServerError.notAnAddress` or `.notAPort`.
  package static func address(_ text: String) throws(OSCServerError) -> WebAddress {
    do {
      return try WebAddress(text)
    } catch {
      if case .notAPort(let port) = error { throw .notAPort(port) }
      throw .notAnAddress(text)
    }
  }

  /// Binds both sockets, so that errors are known before audio starts. [any]
  ///
  /// - Throws: `OSCServerError` if the address or port cannot be used.
  package init(_ address: WebAddress) throws(OSCServerError) {
    host = address.host
    if let port = address.port {
      descriptors = Mutex(try Self.bind(address.host, port))
      self.port = port
      return
    }
    for port in Self.defaultPort ..< Self.defaultPort + Self.triedPortCount {
      do {
        descriptors = Mutex(try Self.bind(address.host, port))
        self.port = port
        return
      } catch {
        guard case .portTaken = error else { throw error }
      }
    }
    throw .noFreePort(
      first: Self.defaultPort, last: Self.defaultPort + Self.triedPortCount - 1)
  }

  deinit {
    let (datagrams, connections) = take()
    if datagrams >= 0 { close(datagrams) }
    if connections >= 0 { close(connections) }
  }

  /// Returns the descriptors for a server that closes them; -1 if they were taken before. [any]
  func take() -> (datagrams: Int32, connections: Int32) {
    descriptors.withLock { descriptors in
      defer { descriptors = (-1, -1) }
      return descriptors
    }
  }

  private static func bind(
    _ host: String, _ port: Int
  ) throws(OSCServerError) -> (datagrams: Int32, connections: Int32) {
    let datagrams = open(SOCK_DGRAM, host, port)
    guard datagrams >= 0 else { throw error(-datagrams, host, port) }
    let connections = open(SOCK_STREAM, host, port)
    guard connections >= 0 else {
      close(datagrams)
      throw error(-connections, host, port)
    }
    return (datagrams, connections)
  }

  /// Returns a bound socket, or a negative errno value.
  private static func open(_ type: __socket_type, _ host: String, _ port: Int) -> Int32 {
    let isLong = host.contains(":")
    let kind = Int32(type.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(isLong ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { return -errno }
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // A session that restarts uses the port of its former connections. Datagrams must not be shared with another
    // program, which this option would permit.
    if type == SOCK_STREAM { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, size) }
    if isLong { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, size) }
    guard bind(descriptor, host, port), type == SOCK_DGRAM || listen(descriptor, 128) == 0 else {
      let number = errno
      close(descriptor)
      return -number
    }
    return descriptor
  }

  /// Binds to a literal address of either family; false with `errno`.
  private static func bind(_ descriptor: Int32, _ host: String, _ port: Int) -> Bool {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let found else {
      errno = EADDRNOTAVAIL
      return false
    }
    defer { freeaddrinfo(found) }
    return Glibc.bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0
  }

  private static func error(_ number: Int32, _ host: String, _ port: Int) -> OSCServerError {
    switch number {
    case EADDRINUSE: .portTaken(port)
    case EACCES, EPERM: .forbiddenPort(port)
    case EADDRNOTAVAIL, EAFNOSUPPORT: .unknownAddress(host)
    default: .refused("\(host):\(port)", reason: String(cString: strerror(number)))
    }
  }
}
