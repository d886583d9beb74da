// ForkedRun.swift: runs work in a copy of this process. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc
internal import Processes

/// Runs work in a copy of this process, which may crash.
enum ForkedRun {
  /// The result of the work.
  enum End: Equatable {
    /// The numbers that it returned.
    case answered([UInt64])
    /// The process ended by a signal or by itself.
    case crashed
    /// The work timed out.
    case hung
    /// The work threw an error or could not be started.
    case failed

    var isCrash: Bool { self == .crashed || self == .hung }
  }

  private static let pollMilliseconds: Int32 = 100
  private static let failureStatus: Int32 = 41
  private static let maximumNumberCount = 64

  /// Runs work that returns up to 64 numbers in a copy of this process.
  ///
  /// Waits until it ends or times out.
  /// `sendHeartbeat` is called a few times a second meanwhile. [main, with no other
  /// thread running]
  static func end(
    limitSeconds: Double, _ sendHeartbeat: () -> Void, _ work: () throws -> [UInt64]
  ) -> End {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return .failed }
    let process = cprocess_fork()
    if process == 0 {
      guard let numbers = try? work() else { _exit(failureStatus) }
      let count = unsafe numbers.prefix(maximumNumberCount).withUnsafeBytes {
        unsafe write(ends[1], $0.baseAddress, $0.count)
      }
      // `_exit`, because exit handlers of the plugin may crash.
      _exit(count > 0 ? 0 : failureStatus)
    }
    close(ends[1])
    defer { close(ends[0]) }
    guard process > 0 else { return .failed }
    guard hasEnded(process, ends[0], limitSeconds, sendHeartbeat) else {
      kill(process, SIGKILL)
      _ = status(of: process)
      return .hung
    }
    var numbers = [UInt64](repeating: 0, count: maximumNumberCount)
    let byteCount = unsafe numbers.withUnsafeMutableBytes {
      unsafe read(ends[0], $0.baseAddress, $0.count)
    }
    switch status(of: process) {
    case 0 where byteCount > 0: return .answered(Array(numbers.prefix(byteCount / 8)))
    case failureStatus << 8: return .failed
    default: return .crashed
    }
  }

  /// Waits for the end of the copy; returns false if it hangs.
  private static func hasEnded(
    _ process: pid_t, _ descriptor: Int32, _ limitSeconds: Double, _ sendHeartbeat: () -> Void
  ) -> Bool {
    var silence = StallDetector(process)
    while true {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&polled, 1, pollMilliseconds) > 0 { return true }
      if silence.isStalled(after: limitSeconds) { return false }
      sendHeartbeat()
    }
  }

  private static func status(of process: pid_t) -> Int32 {
    ProcessSpawn.wait(for: process)
  }
}
