// WebSocketClient.swift: a WebSocket of a test. SPDX-License-Identifier: MIT

import Foundation

/// A WebSocket to the server of a test.
package final class WebSocketClient {
  /// The connection.
  package let raw: RawClient
  private var bytes: [UInt8] = []

  /// A frame of the server.
  package struct Frame: Equatable {
    /// The kind of frame.
    package var opcode: UInt8
    /// The contents.
    package var payload: [UInt8]

    /// The contents as text.
    package var text: String { String(decoding: payload, as: UTF8.self) }
    /// The code of a close frame.
    package var code: Int { payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 0 }
  }

  /// Opens a WebSocket, and signs in with a token unless it is nil.
  package init(port: Int, token: String?) throws {
    raw = try RawClient(port: port)
    let host = "127.0.0.1:\(port)"
    raw.send(Self.upgrade(host, origin: "http://\(host)"))
    guard try raw.response().status == 101 else { throw POSIXError(.EPROTO) }
    guard let token else { return }
    try send(#"{"command": "authenticate", "token": "\#(token)", "id": 0}"#)
    guard try frame().text == #"{"id":0}"# else { throw POSIXError(.EACCES) }
  }

  /// Returns the request that opens a WebSocket.
  package static func upgrade(
    _ host: String, origin: String?, subprotocol: String = "outboard.v1", path: String = "/socket"
  ) -> String {
    let lines = [
      "GET \(path) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol: \(subprotocol)",
    ]
    return (lines + (origin.map { ["Origin: \($0)"] } ?? [])).joined(separator: "\r\n")
      + "\r\n\r\n"
  }

  /// Sends a masked frame.
  package func send(
    _ text: String, opcode: UInt8 = 1, isFinal: Bool = true, isMasked: Bool = true
  ) throws {
    let payload = Array(text.utf8)
    var frame: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
    let mask: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ..<126: frame.append(UInt8(payload.count) | mask)
    case ..<65_536: frame += [126 | mask, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      frame.append(127 | mask)
      frame += (0 ..< 8).reversed().map { UInt8(payload.count >> ($0 * 8) & 255) }
    }
    let key: [UInt8] = [1, 2, 3, 4]
    if isMasked { frame += key }
    frame += isMasked ? payload.enumerated().map { $1 ^ key[$0 % 4] } : payload
    raw.send(frame)
  }

  /// The next frame; one with opcode 0 at the end of the connection.
  package func frame() throws -> Frame {
    while true {
      if let frame = take() { return frame }
      let count = raw.received.count
      guard try raw.receive() else { return Frame(opcode: 0, payload: []) }
      bytes += raw.received[count...]
    }
  }

  private func take() -> Frame? {
    guard bytes.count >= 2 else { return nil }
    var (start, length) = (2, Int(bytes[1] & 0x7F))
    let extra = length == 126 ? 2 : length == 127 ? 8 : 0
    guard bytes.count >= 2 + extra else { return nil }
    if extra > 0 {
      length = bytes[2 ..< 2 + extra].reduce(0) { $0 << 8 | Int($1) }
      start += extra
    }
    guard bytes.count >= start + length else { return nil }
    let frame = Frame(
      opcode: bytes[0] & 0x0F, payload: Array(bytes[start ..< start + length]))
    bytes.removeFirst(start + length)
    return frame
  }

  /// Waits for the close frame, and returns its code; 0 if the connection ends without one.
  package func closeCode() throws -> Int {
    while true {
      let next = try frame()
      if next.opcode == 8 || next.opcode == 0 { return next.code }
    }
  }
}
