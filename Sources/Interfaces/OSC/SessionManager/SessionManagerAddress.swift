// SessionManagerAddress.swift: where the session manager listens. SPDX-License-Identifier: MIT

import Glibc
import NIOCore

/// The address of a session manager, as the environment variable `NSM_URL` has it.
struct SessionManagerAddress: Sendable, Equatable {
  private static let scheme = "osc.udp://"

  /// The whole text.
  let url: String
  /// A name, or an address of either family.
  let host: String
  /// The port for datagrams.
  let port: Int

  /// Reads `osc.udp://HOST:PORT/`. [any]
  ///
  /// - Throws: `SessionManagerError.notAnAddress`.
  init(_ url: String) throws(SessionManagerError) {
    var rest = url[...]
    if rest.hasSuffix("/") { rest.removeLast() }
    guard rest.hasPrefix(Self.scheme) else { throw .notAnAddress(url) }
    rest = rest.dropFirst(Self.scheme.count)
    guard let colon = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: colon)...]),
      1 ... 65_535 ~= port
    else { throw .notAnAddress(url) }
    var host = rest[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw .notAnAddress(url)
    }
    guard !host.isEmpty, !host.contains(where: { "/@?#[] ".contains($0) }) else {
      throw .notAnAddress(url)
    }
    (self.url, self.host, self.port) = (url, String(host), port)
  }

  /// Looks the name up, which can take seconds; IPv4 first, because managers listen there. [any]
  ///
  /// - Throws: `SessionManagerError.unreachable`.
  func resolved() throws(SessionManagerError) -> SocketAddress {
    var code: Int32 = 0
    for family in [AF_INET, AF_INET6] {
      var hints = unsafe addrinfo()
      unsafe (hints.ai_family, hints.ai_socktype) = (family, Int32(SOCK_DGRAM.rawValue))
      var found: UnsafeMutablePointer<addrinfo>?
      code = unsafe getaddrinfo(host, "\(port)", &hints, &found)
      guard code == 0, let found = unsafe found else { continue }
      defer { unsafe freeaddrinfo(found) }
      guard let raw = unsafe UnsafeRawPointer(found.pointee.ai_addr) else { continue }
      return unsafe family == AF_INET
        ? SocketAddress(raw.loadUnaligned(as: sockaddr_in.self))
        : SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self))
    }
    throw unsafe .unreachable(url: url, reason: String(cString: gai_strerror(code)))
  }
}

extension SocketAddress {
  /// Whether only this machine has the address.
  var isLoopback: Bool { ipAddress.map { $0.hasPrefix("127.") || $0 == "::1" } ?? false }

  /// Returns the local address for a socket that sends to this address.
  func ownAddress() throws -> SocketAddress {
    let isShort = if case .v4 = self { true } else { false }
    return isLoopback
      ? try SocketAddress(ipAddress: isShort ? "127.0.0.1" : "::1", port: 0)
      : try SocketAddress(ipAddress: isShort ? "0.0.0.0" : "::", port: 0)
  }

  /// Whether a datagram from `sender` is from the program at this address.
  ///
  /// A machine can have several loopback addresses, and answers from the first.
  func isSource(_ sender: SocketAddress) -> Bool {
    sender.port == port && (sender.ipAddress == ipAddress || sender.isLoopback && isLoopback)
  }
}
