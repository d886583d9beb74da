// DatagramSocket.swift: packets as datagrams. SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import NIOCore
import RealtimeKit
import Synchronization

/// Receives datagrams on a separate thread, and sends them. [any]
///
/// One system call receives a datagram. An event loop needs several, and most values need no event loop.
final class DatagramSocket: Sendable {
  private let descriptor: Int32
  private let isStopped = Atomic<Bool>(false)
  private let end = DispatchSemaphore(value: 0)

  /// A bound socket, which is closed with the last reference.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Calls `receive` on another thread for each datagram until `stop`; returns an errno value if there is no thread.
  /// [main]
  func start(receive: @escaping @Sendable (ArraySlice<UInt8>, OSCPeer) -> Void) -> Int32? {
    DetachedThread.start { [self] in
      receiveUntilStop(receive)
      end.signal()
    }
  }

  /// Ends the thread, and waits for it. [main]
  func stop() {
    isStopped.store(true, ordering: .releasing)
    // Wakes the thread, although the result is an error for datagrams.
    _ = shutdown(descriptor, Int32(SHUT_RD))
    _ = end.wait(timeout: .now() + 1)
  }

  private func receiveUntilStop(_ receive: (ArraySlice<UInt8>, OSCPeer) -> Void) {
    var bytes = [UInt8](repeating: 0, count: OSCDecoder.longestPacketBytes)
    var (sender, known) = (sockaddr_in6(), sockaddr_in6())
    var peer: OSCPeer?
    while !isStopped.load(ordering: .acquiring) {
      // As long as the address of either family.
      var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let count = unsafe withUnsafeMutablePointer(to: &sender) { sender in
        unsafe sender.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
          unsafe recvfrom(descriptor, &bytes, bytes.count, 0, sender, &size)
        }
      }
      guard count >= 0 else {
        // A lack of memory does not end the session's control.
        if errno != EINTR { usleep(1_000) }
        continue
      }
      // A stopped socket has an empty datagram without a sender. Others are malformed packets.
      guard size > 0 else { continue }
      if peer == nil || !Self.isSame(sender, known) {
        (peer, known) = (Self.peer(sender), sender)
      }
      if let peer { receive(bytes[..<count], peer) }
    }
  }

  private static func isSame(_ one: sockaddr_in6, _ other: sockaddr_in6) -> Bool {
    unsafe withUnsafeBytes(of: one) { one in
      unsafe withUnsafeBytes(of: other) { unsafe one.elementsEqual($0) }
    }
  }

  private static func peer(_ address: sockaddr_in6) -> OSCPeer? {
    let isLong = Int32(address.sin6_family) == AF_INET6
    let text = unsafe withUnsafePointer(to: address) { address -> String? in
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
        // The address follows the port, and in the longer family the flow.
        let start = unsafe UnsafeRawPointer(address) + (isLong ? 8 : 4)
        let written = unsafe inet_ntop(
          isLong ? AF_INET6 : AF_INET, start, $0.baseAddress, socklen_t($0.count))
        return unsafe written.map { unsafe String(cString: $0) }
      }
    }
    return text.map { .datagram(host: $0, port: Int(UInt16(bigEndian: address.sin6_port))) }
  }

  /// Whether the system accepts more at present.
  var isReady: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&polled, 1, 0) > 0
  }

  /// Sends a datagram without waiting; drops it if the system does not accept it.
  func send(_ bytes: [UInt8], host: String, port: Int) {
    guard let address = try? SocketAddress(ipAddress: host, port: port) else { return }
    unsafe address.withSockAddr { address, size in
      _ = unsafe sendto(
        descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), address,
        socklen_t(size))
    }
  }
}
