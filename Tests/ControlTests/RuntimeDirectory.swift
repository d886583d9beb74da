// RuntimeDirectory.swift: a directory for the sockets of a test. SPDX-License-Identifier: MIT

import Foundation
import TestWaits

@testable import Control

/// An empty directory in which sessions open their sockets; removed at the end.
final class RuntimeDirectory: Sendable {
  /// Short, because the path of a socket has at most 107 bytes.
  let path = "/tmp/outboard-control-\(UUID().uuidString.prefix(8))"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The variables with which a program finds the directory.
  var environment: [String: String] { ["XDG_RUNTIME_DIR": path] }

  /// Connects to the session `voice`.
  func connected() throws -> UnixSocket {
    try UnixSocket.connect(
      to: SocketDirectory.socket("voice", in: path + "/outboard"), seconds: patienceSeconds
    ).get()
  }
}
