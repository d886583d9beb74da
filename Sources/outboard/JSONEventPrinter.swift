// JSONEventPrinter.swift: events as JSON lines. SPDX-License-Identifier: MIT

import ArgumentParser
import HostModel

/// Prints the events of a host on standard output (`--events json`).
final class JSONEventPrinter: HostInterface {
  private let port: any CommandPort
  private let client: ClientID

  /// Prints all events, and meters if `showsMeters`.
  static func kind(showsMeters: Bool) -> HostInterfaceKind {
    HostInterfaceKind { JSONEventPrinter($0, showsMeters: showsMeters) }
  }

  private init(_ connection: HostConnection, showsMeters: Bool) {
    port = connection.port
    // The failure is printed by `reportFailure`, and needs no second line.
    client = port.connect { JSONOutput.printLine($0) }
    let kinds = Event.Kind.allCases.filter { $0 != .failure && ($0 != .meter || showsMeters) }
    _ = port.submit(.subscribe(.init(events: kinds)), from: client) { _ in }
  }

  func reportFailure(_ message: EventMessage) { JSONOutput.printLine(message) }

  func stop() { port.disconnect(client) }
}

/// The format of `--events`.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
  /// One JSON object per line.
  case json
}
