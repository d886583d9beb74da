// StreamWaitNotice.swift: the message that the input has no data yet. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import Glibc
import RealtimeKit

/// Informs the user if a command waits for another program that writes its input.
enum StreamWaitNotice {
  private static let noticeSeconds = 1.0
  private static let pollMicroseconds: UInt32 = 100_000

  /// Whether the command waits for its input. [any]
  static var isWaiting: Bool { StreamWait.current != nil }

  /// Prints one message if there is no data for a second. [main, once]
  static func begin() {
    _ = DetachedThread.start {
      while true {
        usleep(pollMicroseconds)
        guard let wait = StreamWait.current, wait.seconds >= noticeSeconds else { continue }
        let name = wait.path.first.map { $0.lowercased() + wait.path.dropFirst() } ?? ""
        let path = wait.path == AudioFileReader.standardInputName ? name : wait.path
        Terminal.error.writeLine("outboard: Waiting for data from \(path).")
        return
      }
    }
  }
}
