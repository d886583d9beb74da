// NotifyListen.swift: the socket of a service manager. SPDX-License-Identifier: MIT

import Glibc

/// Prints the messages of a service.
enum NotifyListen {
  /// Receives messages at a path and prints each on a line, until one says that the service stops.
  ///
  /// Returns the exit status: 1 if no message came within the time limit.
  static func run(path: String, timeoutSeconds: Int) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard status == 0 else {
      print("\(path) cannot be listened at: \(String(cString: strerror(errno)))")
      return 2
    }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, Int32(timeoutSeconds * 1_000)) == 1 {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count >= 0 else { return 1 }
      let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
      print(lines.joined(separator: " | "))
      fflush(nil)
      if lines.contains("STOPPING=1") { return 0 }
    }
    return 1
  }
}
