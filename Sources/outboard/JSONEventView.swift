// JSONEventView.swift: events as JSON lines. SPDX-License-Identifier: MIT

import HostCore
import HostModel
import Session

/// Prints the events of a host on standard output (`--events json`).
final class JSONEventView {
  private let host: Host

  /// Prints from now on. [main]
  init(_ host: Host) {
    self.host = host
    host.observe { JSONOutput.printLine($0) }
  }

  /// Prints the fault that ends the session at once. [any, while the main thread is blocked]
  func fail(_ fault: FatalFault) {
    JSONOutput.printLine(EventMessage(seconds: host.seconds, .failure(.init(fault))))
  }
}
