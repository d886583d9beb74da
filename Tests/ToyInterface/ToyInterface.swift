// ToyInterface.swift: a minimal interface, with all that a new one needs. SPDX-License-Identifier: MIT

import Glibc
package import HostModel
import Synchronization

/// Sets parameters by lines such as `gain level -6`, and writes a line for each event and reply.
///
/// | line | meaning |
/// | --- | --- |
/// | `gain level -6.0` | another client has changed a parameter |
/// | `ok`, or a message | the reply to a line |
/// | `started`, `stopped`, ... | another event |
package final class ToyInterface: HostInterface {
  private let port: any CommandPort
  private let client: ClientID
  private let input: Int32
  private let output: Int32
  private let wake: (read: Int32, write: Int32)
  private var thread = pthread_t()

  /// Reads lines from one descriptor, as its only reader, and writes to another one.
  ///
  /// It closes neither.
  package static func kind(input: Int32, output: Int32) -> HostInterfaceKind {
    HostInterfaceKind { try ToyInterface($0, input, output) }
  }

  private init(_ connection: HostConnection, _ input: Int32, _ output: Int32) throws {
    var ends: [Int32] = [0, 0]
    guard fcntl(input, F_GETFD) >= 0, pipe(&ends) == 0 else { throw ToyInterfaceError() }
    (self.input, self.output, wake) = (input, output, (ends[0], ends[1]))
    port = connection.port
    client = port.connect { Self.write(Self.text($0.message.event), to: output) }
    _ = port.submit(.subscribe(.init()), from: client) { _ in }
    pthread_create(
      &thread, nil,
      { argument in
        if let argument {
          Unmanaged<ToyInterface>.fromOpaque(argument).takeUnretainedValue().read()
        }
        return nil
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  package func stop() {
    Self.write("", to: wake.write)
    pthread_join(thread, nil)
    port.disconnect(client)
    close(wake.read)
    close(wake.write)
  }

  /// Runs on a separate thread until `stop` is called or the input ends.
  private func read() {
    var line = ""
    var waited = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&waited, 2, -1) >= 0, waited[1].revents == 0 {
      var byte: UInt8 = 0
      guard Glibc.read(input, &byte, 1) == 1 else { return }
      if byte != UInt8(ascii: "\n") {
        line.unicodeScalars.append(.init(byte))
      } else {
        set(line.split(separator: " ").map(String.init))
        line = ""
      }
    }
  }

  private func set(_ words: [String]) {
    guard words.count == 3 else { return Self.write("Write NODE SYMBOL VALUE.", to: output) }
    let command = Command.set(.init(node: words[0], values: [.init(words[1], words[2])]))
    _ = port.submit(command, from: client) { [output] reply in
      Self.write(reply.error?.message ?? "ok", to: output)
    }
  }

  private static func text(_ event: Event) -> String {
    guard case .changed(let changed) = event else { return event.kind.rawValue }
    let lines = changed.changes.map { change in
      guard case .parameter(let node, let symbol, let value) = change else { return "changed" }
      return "\(node) \(symbol) \(value)"
    }
    return lines.joined(separator: "\n")
  }

  private static func write(_ line: String, to descriptor: Int32) {
    _ = Array((line + "\n").utf8).withUnsafeBytes {
      Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
  }
}

/// The descriptor is not open.
package struct ToyInterfaceError: Error {}
