// ManagedSession.swift: what a session manager knows of a session. SPDX-License-Identifier: MIT

import Glibc
import NIOCore
import Synchronization

/// The identity of a session for its manager: the socket, and the file of the song.
///
/// A manager knows a client by the address of its socket. A session that restarts after a fault keeps the socket, in
/// which requests wait meanwhile, and is not announced again.
package final class ManagedSession: Sendable {
  /// The identity.
  package struct Identity: Sendable, Equatable {
    /// The descriptor of the socket; nil if the session is not announced.
    package var socket: Int32?
    /// The file to which the session is saved; nil until the manager has opened one.
    package var file: String?

    package init(socket: Int32? = nil, file: String? = nil) {
      (self.socket, self.file) = (socket, file)
    }
  }

  private let state: Mutex<Identity>

  /// The present identity. [any]
  package var identity: Identity {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Continues with the socket of an earlier process image if it is one; otherwise not announced. [main]
  package init(_ identity: Identity = Identity()) {
    let isOpen = identity.socket.map(Self.adopt) ?? false
    state = Mutex(isOpen ? identity : Identity())
  }

  deinit { if let socket = identity.socket { close(socket) } }

  /// Keeps the socket from processes that are started; false if there is no socket.
  private static func adopt(_ socket: Int32) -> Bool {
    var (type, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return unsafe getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0
      && type == Int32(SOCK_DGRAM.rawValue) && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0
  }

  /// Returns a second descriptor of a socket, so that the first stays open. [any]
  static func copy(_ socket: Int32) throws -> Int32 {
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw IOError(errnoCode: errno, reason: "fcntl") }
    return copy
  }

  /// Opens a socket at an address. [any]
  static func openSocket(at address: SocketAddress) throws -> Int32 {
    let family = if case .v4 = address { AF_INET } else { AF_INET6 }
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
    let isBound = unsafe address.withSockAddr { unsafe bind(descriptor, $0, socklen_t($1)) == 0 }
    guard isBound else {
      let code = errno
      close(descriptor)
      throw IOError(errnoCode: code, reason: "bind")
    }
    return descriptor
  }
}
