// HelperRequest.swift: one question to a child process, and its answer. SPDX-License-Identifier: MIT

import CProcess
import Glibc
import PluginCatalogue

/// The program itself, started with a hidden first argument, asked once.
enum HelperRequest {
  /// The answer of the program, started with a hidden argument; nil if it crashed, or computed or slept for
  /// `seconds`. [any]
  static func answer(
    to question: String, argument: String, by command: ChildCommand, withinSeconds seconds: Double
  ) -> String? {
    var command = command
    command.arguments = [argument]
    guard
      var child = try? ChildProcess(command, memoryBytes: ChildLimits().memoryBytes),
      child.socket.send(Self.record(question))
    else { return nil }
    while child.hasNews(within: seconds), child.socket.receive() {
      guard let answer = try? child.socket.next(Self.text) else { continue }
      return answer
    }
    return nil
  }

  /// Gives the parent's question to what answers it, sends the answer, if there is one, and ends. [main, in the
  /// child]
  static func serve(_ answer: (String) -> String?) -> Never {
    // A plugin that hangs must not outlive the program that would have killed it.
    cprocess_end_with_parent()
    var socket = MessageSocket.ofChild
    if let question = try? socket.wait(Self.text), let answer = answer(question) {
      _ = socket.send(record(answer))
    }
    // Not `exit`: what the code has registered to be run then may crash.
    _exit(0)
  }

  private static func record(_ text: String) -> [UInt8] {
    var writer = BinaryEncoder()
    writer.write(text)
    return writer.bytes
  }

  private static func text(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) -> String {
    try reader.text()
  }
}
