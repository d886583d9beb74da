// HelperRequest.swift: one request to a helper process, and its answer. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// Starts this program with a hidden first argument for one request.
package enum HelperRequest {
  /// Returns the answer of the helper process; nil if it crashed or exceeded `seconds`. [any]
  package static func answer(
    to question: String, argument: String, by command: ChildCommand, withinSeconds seconds: Double
  ) -> String? {
    var command = command
    command.arguments = [argument]
    guard
      var child = try? ChildProcess(command, memoryBytes: ChildLimits().memoryBytes),
      child.socket.send(Self.record(question))
    else { return nil }
    while child.waitForData(within: seconds), child.socket.receive() {
      guard let answer = try? child.socket.next(Self.text) else { continue }
      return answer
    }
    return nil
  }

  /// Passes the request to `answer`, sends the result, if any, and exits. [main, in the child]
  package static func serve(_ answer: (String) -> String?) -> Never {
    // A plugin that hangs must not outlive the parent, which would have killed it.
    cprocess_end_with_parent()
    var socket = MessageSocket.helperSide
    if let question = try? socket.wait(Self.text), let answer = answer(question) {
      _ = socket.send(record(answer))
    }
    // Not `exit`: functions that the code has registered for it can crash.
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
