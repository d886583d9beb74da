// RawClient.swift: a client that sends any bytes. SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestWaits

/// A TCP connection to the server of a test.
package final class RawClient {
  private let descriptor: Int32
  package private(set) var received: [UInt8] = []

  /// Connects to a port of this machine.
  package init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  /// Sends bytes; the server may have closed the connection.
  package func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Sends text as UTF-8.
  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Ends the client's side of the connection; it still reads.
  package func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Waits for more bytes; false at the end of the connection.
  package func receive() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let deadline = Deadline()
    while true {
      var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&place, 1, 10) > 0 else {
        try deadline.rest(0)
        continue
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      received += buffer[..<count]
      return true
    }
  }

  /// Reads what has arrived without waiting; false if nothing has.
  package func receiveAvailable() throws -> Bool {
    var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&place, 1, 0) > 0 else { return false }
    return try receive()
  }

  /// Everything that the server sends until it closes the connection.
  package func readToEnd() throws -> String {
    while try receive() {}
    return String(decoding: received, as: UTF8.self)
  }

  /// The first response: its status, its headers in lower case, and its body.
  package func response() throws -> (status: Int, headers: [String: String], body: String) {
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1)
          headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        let length = Int(headers["content-length"] ?? "") ?? 0
        let body = text[end.upperBound...]
        if status == 101 || status == 304 || body.utf8.count >= length {
          received = []
          return (status, headers, String(body))
        }
      }
      guard try receive() else { throw POSIXError(.ECONNRESET) }
    }
  }
}
