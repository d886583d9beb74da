// TerminalReader.swift: threads that wait for keys and signals. SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import RealtimeKit

/// Reads standard input on a thread.
enum TerminalReader {
  /// Pause before a process in the background reads again, in microseconds.
  private static let backgroundPause: UInt32 = 200_000

  /// Starts the thread, which calls `receive` with bytes, and with nil at the end of the input.
  static func start(_ receive: @escaping @Sendable ([UInt8]?) -> Void) {
    _ = DetachedThread.start {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
          receive(Array(buffer[..<count]))
        } else if count < 0, errno == EINTR || errno == EAGAIN {
          continue
        } else if count < 0, errno == EIO, isInBackground {
          usleep(backgroundPause)
        } else {
          return receive(nil)
        }
      }
    }
  }

  /// Whether the terminal belongs to another group of processes at present.
  private static var isInBackground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group > 0 && group != getpgrp()
  }
}

/// Receives the signals that concern a terminal on a thread.
enum TerminalSignals {
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]

  /// Blocks the signals for this thread and all later ones, and starts the thread. [main]
  static func start(_ receive: @escaping @Sendable (Int32) -> Void) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    _ = DetachedThread.start { [set] in
      var set = set
      while true {
        var info = unsafe siginfo_t()
        let signal = unsafe sigwaitinfo(&set, &info)
        if signal > 0 { receive(signal) }
      }
    }
  }
}
