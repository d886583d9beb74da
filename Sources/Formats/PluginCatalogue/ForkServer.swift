// ForkServer.swift: runs work repeatedly from the same process state. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc
internal import Processes

/// A copy of this process that waits and forks further copies.
///
/// Each copy runs one piece of work.
///
/// Memory and addresses are the same at the start of each copy. [main, with
/// no other thread running]
final class ForkServer {
  private static let pollMilliseconds: Int32 = 100
  private static let failureStatus: Int32 = 41

  private let process: pid_t
  private let requests: Int32
  private let messages: Int32
  private let limitSeconds: Double
  private let sendHeartbeat: () -> Void

  /// Creates a server for work that returns a number; nil if no process can be created.
  ///
  /// A piece of work may run for `limitSeconds`. `sendHeartbeat` is called a few times a second
  /// meanwhile.
  init?(
    limitSeconds: Double, sendHeartbeat: @escaping () -> Void, work: (UInt32) throws -> UInt64
  ) {
    var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard unsafe pipe(&input) == 0 else { return nil }
    guard unsafe pipe(&output) == 0 else {
      for end in input { close(end) }
      return nil
    }
    let process = cprocess_fork()
    if process == 0 {
      close(input[1])
      Self.work(on: cprocess_serve_forks(input[0], output[1]), output[1], work)
    }
    close(input[0])
    close(output[1])
    self.process = process
    (requests, messages) = (input[1], output[0])
    (self.limitSeconds, self.sendHeartbeat) = (limitSeconds, sendHeartbeat)
    guard process > 0 else { return nil }
  }

  deinit {
    close(requests)
    close(messages)
    guard process > 0 else { return }
    kill(process, SIGKILL)
    _ = ProcessSpawn.wait(for: process)
  }

  private static func work(
    on request: UInt32, _ messages: Int32, _ work: (UInt32) throws -> UInt64
  ) -> Never {
    guard let number = try? work(request) else { _exit(failureStatus) }
    var message = cprocess_fork_message()
    message.kind = CPROCESS_FORK_NUMBER
    message.number = number
    let count = unsafe write(messages, &message, MemoryLayout<cprocess_fork_message>.size)
    // `_exit`, because exit handlers of the plugin may crash.
    _exit(count > 0 ? 0 : failureStatus)
  }

  /// The result of a piece of work.
  func end(of request: UInt32) -> ForkedRun.End {
    var request = request
    guard unsafe write(requests, &request, MemoryLayout<UInt32>.size) > 0 else { return .failed }
    var number: UInt64?
    var worker: pid_t = -1
    var silence = StallDetector(process)
    var isHung = false
    while true {
      var polled = pollfd(fd: messages, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&polled, 1, Self.pollMilliseconds) <= 0 {
        sendHeartbeat()
        guard worker > 0, !isHung, silence.isStalled(after: limitSeconds) else { continue }
        isHung = true
        kill(worker, SIGKILL)
        continue
      }
      var message = cprocess_fork_message()
      let size = MemoryLayout<cprocess_fork_message>.size
      guard unsafe read(messages, &message, size) == size else { return .failed }
      switch message.kind {
      case CPROCESS_FORK_BEGAN:
        worker = message.value
        silence = StallDetector(worker)
      case CPROCESS_FORK_NUMBER: number = message.number
      default: return isHung ? .hung : Self.end(status: message.value, number)
      }
    }
  }

  private static func end(status: Int32, _ number: UInt64?) -> ForkedRun.End {
    switch status {
    case 0: number.map { .answered([$0]) } ?? .crashed
    case failureStatus << 8: .failed
    default: .crashed
    }
  }
}
