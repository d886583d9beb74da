// RenderProcess.swift: `outboard render` in another process. SPDX-License-Identifier: MIT

import AudioFiles
import ErrorModel
import FoundationEssentials
import Glibc
import PluginCatalogue
import Processes

/// A rendering in another process, so that a crash of a plugin is one message.
struct RenderProcess {
  private static let pollSeconds = 0.02
  private let arguments: [String]

  /// Creates a rendering with the arguments of `outboard render`.
  init(_ arguments: [String]) { self.arguments = arguments }

  /// Renders to the end.
  ///
  /// - Parameters:
  ///   - input: the descriptor of its standard input; nil for none.
  ///   - output: the descriptor of its standard output; nil for none.
  ///   - interruption: requests the end.
  /// - Returns: its messages.
  /// - Throws: `SideError` with its last message.
  func run(
    input: Int32?, output: Int32?, _ interruption: TerminationSignals
  ) throws -> [String] {
    let messages = try UnnamedFile()
    var spawn = ProcessSpawn([ThisProgram.path, "render"] + arguments)
    (spawn.input, spawn.output, spawn.errors) = (input, output, messages.descriptor)
    let process: pid_t
    do {
      process = try spawn.start()
    } catch {
      let reason = unsafe String(cString: strerror(error.code))
      throw SideError(description: "Cannot start a render process: \(reason).", kind: .failure)
    }
    let status = wait(for: process, interruption)
    let lines = Self.lines(messages)
    guard status == 0 else { throw error(status, lines) }
    return lines
  }

  /// Waits for the end, and passes a request to end on.
  private func wait(for process: pid_t, _ interruption: TerminationSignals) -> Int32 {
    var status: Int32 = 0
    var isStopped = false
    while true {
      let ended = unsafe waitpid(process, &status, WNOHANG)
      if ended == process { return status }
      if ended < 0, errno != EINTR { return 1 << 8 }
      if interruption.isRaised {
        if !isStopped { kill(process, SIGTERM) }
        isStopped = true
        usleep(UInt32(Self.pollSeconds * 1e6))
      } else {
        interruption.wait(seconds: Self.pollSeconds)
      }
    }
  }

  private func error(_ status: Int32, _ lines: [String]) -> SideError {
    let signal = status & 0x7f
    let code = (status >> 8) & 0xff
    let other =
      signal == 0
      ? "The render process ended with status \(code)."
      : "The render process \(ChildExit.signalled(signal).text)."
    return SideError(
      description: (lines.isEmpty ? [other] : lines).joined(separator: "\noutboard: "),
      kind: signal == 0 && code == 2 ? .usage : .failure)
  }

  /// Returns the messages on standard error, without the result.
  private static func lines(_ file: UnnamedFile) -> [String] {
    file.rewind()
    var text = Data()
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe read(file.descriptor, &bytes, bytes.count), count > 0 {
      text.append(contentsOf: bytes[..<count])
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      line.hasPrefix("outboard: ") ? String(line.dropFirst(10)) : nil
    }
  }
}

/// A rendering in another process failed.
struct SideError: HostError {
  let description: String
  let kind: ErrorKind
}
