// UnixSocket.swift: lines over a socket in a folder. SPDX-License-Identifier: MIT

import Foundation

/// One end of a connection, which carries lines; closed with its last reference.
final class UnixSocket: Sendable {
  /// No message is longer, whoever sends it.
  static let longestLineBytes = 1 << 20

  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// A socket without an address; nil where the system has none left.
  private static func make() -> UnixSocket? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    return descriptor >= 0 ? UnixSocket(descriptor: descriptor) : nil
  }

  /// Calls someone who listens; nil where nobody does.
  static func connect(to path: String) -> UnixSocket? {
    guard let end = make() else { return nil }
    let code = withAddress(path) { Glibc.connect(end.descriptor, $0, $1) }
    return code == 0 ? end : nil
  }

  /// Listens at a path where no file is; the error number where that cannot be.
  static func listen(at path: String) -> Result<UnixSocket, SocketFault> {
    guard let end = make() else { return .failure(SocketFault(number: errno)) }
    guard withAddress(path, { bind(end.descriptor, $0, $1) }) == 0,
      Glibc.listen(end.descriptor, 8) == 0
    else { return .failure(SocketFault(number: errno)) }
    return .success(end)
  }

  /// The next one who calls; nil once `hangUp` was called.
  func accept() -> UnixSocket? {
    while true {
      let caller = Glibc.accept(descriptor, nil, nil)
      if caller >= 0 {
        _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
        return UnixSocket(descriptor: caller)
      }
      // A caller who is gone again, or a moment without descriptors, is not the end.
      switch errno {
      case ECONNABORTED, EINTR: continue
      case EMFILE, ENFILE, ENOMEM, ENOBUFS: Thread.sleep(forTimeInterval: 0.1)
      default: return nil
      }
    }
  }

  /// Ends what others wait for on it.
  func hangUp() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// How long a read or a write may take.
  func setPatience(seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  /// Sends a line; false where the other side is gone.
  func send(line: Data) -> Bool {
    let bytes = [UInt8](line) + [UInt8(ascii: "\n")]
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// The next line, without its end; nil where there is none, or it is too long.
  ///
  /// `rest` keeps what came behind it, for the next call.
  func readLine(_ rest: inout Data) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // Each byte is looked at once, however many pieces it all comes in.
    var searched = rest.startIndex
    while true {
      if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(rest[..<end])
        rest = Data(rest[rest.index(after: end)...])
        return line
      }
      searched = rest.endIndex
      guard rest.count <= Self.longestLineBytes else { return nil }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      rest.append(contentsOf: buffer[..<count])
    }
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return -1
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// What the system had against it.
struct SocketFault: Error {
  let number: Int32
  var reason: String { String(cString: strerror(number)) }
}
