// BoundPort.swift: reserves the port of a server. SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Sockets at one port of an address; closed with their last reference.
package final class BoundPort: Sendable {
  /// The address.
  package let host: String
  /// The port.
  package let port: Int
  /// Whether only programs of this machine can connect.
  package let isLoopback: Bool
  /// Whether the port accepts connections on every address of this machine.
  let isEveryAddress: Bool
  private let descriptors: Mutex<[Int32]>

  /// The kinds of sockets.
  package enum Kind: Sendable {
    /// Datagrams (UDP).
    case datagrams
    /// Connections (TCP), for which it listens.
    case connections

    fileprivate var type: __socket_type { self == .datagrams ? SOCK_DGRAM : SOCK_STREAM }
  }

  /// Binds one socket of each kind, so that errors are known before audio starts. [any]
  ///
  /// - Throws: `ListenError` if the address or port cannot be used.
  package init(
    _ address: ListenAddress, _ kinds: [Kind] = [.connections]
  ) throws(ListenError) {
    (host, isLoopback) = (address.host, address.isLoopback)
    isEveryAddress = address.isEveryAddress
    if let port = address.port {
      descriptors = Mutex(try Self.bind(address, port, kinds))
      self.port = port
      return
    }
    for port in address.option.ports {
      do {
        descriptors = Mutex(try Self.bind(address, port, kinds))
        self.port = port
        return
      } catch {
        guard case .portInUse = error.problem else { throw error }
      }
    }
    throw ListenError(address.option, .noFreePort)
  }

  deinit { for descriptor in take() { close(descriptor) } }

  /// Returns the descriptors in the order of their kinds, for a server that closes them; none if they were taken
  /// before. [any]
  package func take() -> [Int32] {
    descriptors.withLock { descriptors in
      defer { descriptors = [] }
      return descriptors
    }
  }

  private static func bind(
    _ address: ListenAddress, _ port: Int, _ kinds: [Kind]
  ) throws(ListenError) -> [Int32] {
    var descriptors: [Int32] = []
    for kind in kinds {
      let descriptor = open(kind, address.host, port)
      guard descriptor >= 0 else {
        for other in descriptors { close(other) }
        throw ListenError(address.option, problem(-descriptor, address.host, port))
      }
      descriptors.append(descriptor)
    }
    return descriptors
  }

  /// Returns a bound socket, or a negative errno value.
  private static func open(_ kind: Kind, _ host: String, _ port: Int) -> Int32 {
    let isLong = host.contains(":")
    let type = Int32(kind.type.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(isLong ? AF_INET6 : AF_INET, type, 0)
    guard descriptor >= 0 else { return -errno }
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // A session that restarts uses the port of its former connections. Datagrams must not be shared with another
    // program, which this option would permit.
    if kind == .connections { unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, size) }
    if isLong { unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, size) }
    guard bind(descriptor, host, port), kind == .datagrams || listen(descriptor, 128) == 0 else {
      let number = errno
      close(descriptor)
      return -number
    }
    return descriptor
  }

  /// Binds to a literal address of either family; false with `errno`.
  private static func bind(_ descriptor: Int32, _ host: String, _ port: Int) -> Bool {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0, let found = unsafe found else {
      errno = EADDRNOTAVAIL
      return false
    }
    defer { unsafe freeaddrinfo(found) }
    return unsafe Glibc.bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0
  }

  private static func problem(_ number: Int32, _ host: String, _ port: Int) -> ListenError.Problem {
    switch number {
    case EADDRINUSE: .portInUse(port)
    case EACCES, EPERM: .forbiddenPort(port)
    case EADDRNOTAVAIL, EAFNOSUPPORT: .unknownAddress(host)
    default:
      unsafe .refused(
        ListenAddress.authority(host, port), reason: String(cString: strerror(number)))
    }
  }
}
