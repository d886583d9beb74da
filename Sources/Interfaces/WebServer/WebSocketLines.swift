// WebSocketLines.swift: the lines of a WebSocket. SPDX-License-Identifier: MIT

import Control
import Dispatch
import FoundationEssentials
package import NIOCore
package import NIOWebSocket
import Synchronization

/// Carries each text message of a WebSocket as a line.
final class WebSocketLines: LineTransport {
  /// Messages and bytes that may wait; beyond that nothing is read from the network.
  private static let (waitingCount, waitingBytes) = (64, 1 << 18)

  private struct State {
    var lines: [Data] = []
    var byteCount = 0
    var isTooLong = false
    var isEnded = false
    /// Whether the connection is not read at present.
    var isPaused = false
  }

  private let channel: any Channel
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  init(_ channel: any Channel) { self.channel = channel }

  // MARK: - Event loop

  /// Adds a message, and stops reading if too many wait. [event loop]
  func append(_ line: Data) {
    let pauses = state.withLock { state in
      state.lines.append(line)
      state.byteCount += line.count
      let isFull =
        state.lines.count >= Self.waitingCount || state.byteCount >= Self.waitingBytes
      defer { if isFull { state.isPaused = true } }
      return isFull && !state.isPaused
    }
    if pauses { setReading(false) }
    arrival.signal()
  }

  /// Whether the connection is not read at present. [any]
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Records that a message was longer than allowed; no more follow. [event loop]
  func appendTooLong() {
    state.withLock { $0.isTooLong = true }
    arrival.signal()
  }

  /// Records that the client has disconnected. [event loop]
  func end() {
    state.withLock { $0.isEnded = true }
    arrival.signal()
  }

  private func setReading(_ isOn: Bool) {
    channel.setOption(.autoRead, value: isOn).whenFailure { _ in }
  }

  // MARK: - Threads of the client

  func readLine(idleSeconds: Double, lineSeconds: Double) -> IncomingLine {
    let end = ContinuousClock.now + .seconds(min(idleSeconds, 1e9))
    while true {
      let (line, resumes) = take()
      if resumes { setReading(true) }
      if let line { return line }
      let seconds = (end - .now) / .seconds(1)
      guard seconds > 0,
        arrival.wait(timeout: .now() + min(seconds, 3_600)) == .success
          || seconds > 3_600
      else { return .late }
    }
  }

  private func take() -> (line: IncomingLine?, resumes: Bool) {
    state.withLock { state in
      guard !state.lines.isEmpty else {
        return (state.isTooLong ? .tooLong : state.isEnded ? .ended : nil, false)
      }
      let line = state.lines.removeFirst()
      state.byteCount -= line.count
      let resumes = state.isPaused && state.lines.isEmpty
      if resumes { state.isPaused = false }
      return (.line(line), resumes)
    }
  }

  func send(line: Data, seconds: Double) -> Bool {
    let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: line))
    let result = Sent()
    channel.writeAndFlush(frame).whenComplete { outcome in
      if case .success = outcome { result.isSent.withLock { $0 = true } }
      result.isDone.signal()
    }
    return result.isDone.wait(timeout: .now() + seconds) == .success
      && result.isSent.withLock { $0 }
  }

  private final class Sent: Sendable {
    let isDone = DispatchSemaphore(value: 0)
    let isSent = Mutex(false)
  }

  func shutDown() { close(.goingAway) }

  /// Sends a code and a reason, and closes the connection. [any]
  func close(_ code: WebSocketErrorCode, _ reason: String = "") {
    end()
    channel.closeWebSocket(code, reason)
  }
}

extension Channel {
  /// Sends a close frame and closes the connection. [any]
  package func closeWebSocket(_ code: WebSocketErrorCode, _ reason: String = "") {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    data.writeString(String(reason.prefix(100)))
    writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)).whenComplete {
      _ in self.close(promise: nil)
    }
  }
}
