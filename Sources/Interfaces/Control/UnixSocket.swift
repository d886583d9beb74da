// UnixSocket.swift: sends and receives lines over a Unix socket. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc

/// One end of a connection, which carries lines; closed with its last reference.
final class UnixSocket: Sendable {
  /// A client accepts no longer reply.
  static let longestReplyBytes = 1 << 26

  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Creates a socket without an address; returns nil if the system has none left.
  private static func make() -> UnixSocket? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    return descriptor >= 0 ? UnixSocket(descriptor: descriptor) : nil
  }

  /// Connects to a server, and waits at most `seconds` for a server whose queue is full.
  ///
  /// The error number is EAGAIN if the queue stayed full, for instance because the process is stopped.
  static func connect(to path: String, seconds: Double) -> Result<UnixSocket, SocketError> {
    guard let end = make() else { return .failure(SocketError(number: errno)) }
    var time = timeval(seconds: seconds)
    unsafe setsockopt(
      end.descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    guard unsafe withAddress(path, { unsafe Glibc.connect(end.descriptor, $0, $1) }) == 0 else {
      return .failure(SocketError(number: errno))
    }
    return .success(end)
  }

  /// Listens at a free path; returns the error number if that fails.
  static func listen(at path: String) -> Result<UnixSocket, SocketError> {
    guard let end = make() else { return .failure(SocketError(number: errno)) }
    guard unsafe withAddress(path, { unsafe bind(end.descriptor, $0, $1) }) == 0,
      Glibc.listen(end.descriptor, 64) == 0
    else { return .failure(SocketError(number: errno)) }
    return .success(end)
  }

  /// Waits for the next client; returns nil once `shutDown` was called.
  func accept() -> UnixSocket? {
    while true {
      let caller = Glibc.accept(descriptor, nil, nil)
      if caller >= 0 {
        _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
        return UnixSocket(descriptor: caller)
      }
      // A client that has disconnected, or a temporary lack of descriptors, does not end the loop.
      switch errno {
      case ECONNABORTED, EINTR: continue
      case EMFILE, ENFILE, ENOMEM, ENOBUFS: usleep(100_000)
      default: return nil
      }
    }
  }

  /// Wakes the threads that wait on the socket.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// The process and the user at the other end, as the kernel recorded them; nil if it cannot say.
  var peer: (process: pid_t, user: uid_t)? {
    // struct ucred: process, user and group, each of 32 bits.
    var credentials: [Int32] = [0, 0, 0]
    var size = socklen_t(12)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0,
      size == 12
    else {
      return nil
    }
    return (credentials[0], uid_t(bitPattern: credentials[1]))
  }

  /// Sends a line within `seconds`; returns false if the other side has disconnected or does not
  /// read.
  func send(line: Data, seconds: Double) -> Bool {
    let deadline = Deadline(after: seconds)
    var sent = 0
    while sent <= line.count {
      let count = sendPart(of: line.dropFirst(sent))
      if count < 0, errno == EAGAIN {
        guard waitFor(Int16(POLLOUT), until: deadline) else { return false }
        continue
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Sends what the socket takes of a line and its line break, without waiting; returns the number of bytes, or -1 with
  /// `errno`.
  func sendPart(of line: Data) -> Int {
    unsafe line.withUnsafeBytes { bytes in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { end in
        unsafe end.initialize(repeating: UInt8(ascii: "\n"))
        return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
          unsafe parts.initializeElement(
            at: 0,
            to: iovec(
              iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count))
          unsafe parts.initializeElement(at: 1, to: iovec(iov_base: end.baseAddress, iov_len: 1))
          var message = unsafe msghdr()
          unsafe (message.msg_iov, message.msg_iovlen) = (parts.baseAddress, 2)
          while true {
            let count = unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            return count
          }
        }
      }
    }
  }

  /// Reads the next line, without its newline.
  ///
  /// - Parameters:
  ///   - rest: keeps the bytes after the line for the next call.
  ///   - idleSeconds: the time limit until the line begins.
  ///   - lineSeconds: the time limit from its first byte to its end.
  ///   - longestBytes: the longest accepted line.
  /// - Returns: the line, or why there is none.
  func readLine(
    _ rest: inout Data, idleSeconds: Double, lineSeconds: Double, longestBytes: Int
  ) -> IncomingLine {
    var deadline = Deadline(after: rest.isEmpty ? idleSeconds : lineSeconds)
    // Each byte is examined once, even if the line arrives in many parts.
    var searched = rest.startIndex
    while true {
      if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(rest[..<end])
        rest = Data(rest[rest.index(after: end)...])
        return .line(line)
      }
      searched = rest.endIndex
      guard rest.count <= longestBytes else { return .tooLong }
      guard waitFor(Int16(POLLIN), until: deadline) else { return .late }
      let wasEmpty = rest.isEmpty
      let count = receive(&rest)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return .ended }
      if wasEmpty { deadline = Deadline(after: lineSeconds) }
    }
  }

  /// Appends what has arrived, without waiting; returns the number of bytes, or -1 with `errno`.
  private func receive(_ rest: inout Data) -> Int {
    // Not zeroed, because most lines are far shorter.
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
      let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0, let start = buffer.baseAddress { unsafe rest.append(start, count: count) }
      return count
    }
  }

  /// Waits for an event; false at the deadline.
  private func waitFor(_ event: Int16, until deadline: Deadline) -> Bool {
    var polled = pollfd(fd: descriptor, events: event, revents: 0)
    while true {
      let count = unsafe poll(&polled, 1, deadline.remainingMilliseconds)
      if count < 0, errno == EINTR { continue }
      return count != 0
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
    // The kernel would take the part before the NUL for the path.
    guard !bytes.contains(0) else {
      errno = EINVAL
      return -1
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// The system's error.
struct SocketError: Error {
  let number: Int32
  var reason: String { unsafe String(cString: strerror(number)) }
}

/// A moment of the monotonic clock.
private struct Deadline {
  private let nanoseconds: UInt64

  init(after seconds: Double) {
    nanoseconds = DispatchTime.now().uptimeNanoseconds + UInt64(max(0, seconds) * 1e9)
  }

  /// For `poll`; 0 if the moment has passed.
  var remainingMilliseconds: Int32 {
    let now = DispatchTime.now().uptimeNanoseconds
    return now < nanoseconds ? Int32(clamping: (nanoseconds - now) / 1_000_000 + 1) : 0
  }
}

extension timeval {
  init(seconds: Double) {
    self.init(
      tv_sec: Int(seconds), tv_usec: Int((seconds - seconds.rounded(.down)) * 1_000_000))
  }
}
