// LinkHelper.swift: the process outboard-link. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import MIDIClock
import Processes
import RealtimeKit
import Synchronization

/// The process that takes part in an Ableton Link session, and exchanges lines with this one.
///
/// It ends with its connection, so it cannot outlive this process.
final class LinkHelper: Sendable {
  private struct State {
    /// The connection; nil once the process has ended.
    var socket: Int32?
    var isStopped = false
  }

  /// Receives a line without its end, and the time of its arrival on CLOCK_MONOTONIC in ns.
  typealias Receiver = @Sendable (_ line: String, _ time: UInt64) -> Void

  private let state: Mutex<State>

  /// Starts the process, and a thread that receives its lines. [any]
  ///
  /// - Parameters:
  ///   - command: the program and its arguments.
  ///   - timeoutSeconds: the time without a line after which the process is killed.
  ///   - onLine: receives lines, on the thread.
  /// - Throws: `ProcessSpawn.Failure` if the program does not exist or cannot be started.
  init(
    _ command: [String], timeoutSeconds: Int, onLine: @escaping Receiver
  ) throws(ProcessSpawn.Failure) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw ProcessSpawn.Failure(code: errno)
    }
    var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    unsafe setsockopt(
      ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var spawn = ProcessSpawn(command)
    (spawn.input, spawn.output) = (ends[1], ends[1])
    // Ctrl-C in a terminal ends the session, which then leaves Link.
    spawn.leadsGroup = true
    defer { close(ends[1]) }
    let process: Int32
    do {
      process = try spawn.start()
    } catch {
      close(ends[0])
      throw error
    }
    state = Mutex(State(socket: ends[0]))
    let socket = ends[0]
    let failure = DetachedThread.start { [self] in
      read(socket, onLine)
      finish(process, socket)
    }
    if failure != nil { finish(process, socket) }
  }

  /// Ends the process.
  ///
  /// No other thread uses it or its connection afterwards.
  private func finish(_ process: Int32, _ socket: Int32) {
    state.withLock { $0.socket = nil }
    close(socket)
    kill(process, SIGKILL)
    _ = ProcessSpawn.wait(for: process)
  }

  /// Whether the process has ended. [any]
  var hasEnded: Bool { state.withLock { $0.socket == nil } }

  /// Sends a command; returns false if the process has ended or reads nothing. [any]
  func send(_ command: String) -> Bool {
    state.withLock { state in
      guard let socket = state.socket, !state.isStopped else { return false }
      let bytes = Array((command + "\n").utf8)
      return unsafe Glibc.send(
        socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        == bytes.count
    }
  }

  /// Lets the process leave the session and end. [any]
  func stop() {
    state.withLock { state in
      state.isStopped = true
      if let socket = state.socket { shutdown(socket, Int32(SHUT_WR)) }
    }
  }

  /// Receives until the connection ends or times out.
  private func read(_ socket: Int32, _ onLine: Receiver) {
    var chunk = [UInt8](repeating: 0, count: 4_096)
    var line: [UInt8] = []
    while true {
      let count = unsafe recv(socket, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      let now = crealtime_nanoseconds()
      for byte in chunk[..<count] {
        if byte == 0x0a {
          if !state.withLock(\.isStopped) { onLine(String(decoding: line, as: UTF8.self), now) }
          line.removeAll(keepingCapacity: true)
        } else if line.count <= LinkReport.maximumBytes {
          // A longer line stays invalid.
          line.append(byte)
        }
      }
    }
  }
}
