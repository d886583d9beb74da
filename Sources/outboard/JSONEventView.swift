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

  /// Prints what ends the session, before anything else is done. [any, while the main thread does nothing]
  func fail(_ fault: FatalFault) {
    JSONOutput.printLine(EventMessage(seconds: host.seconds, .failure(.init(fault))))
  }
}
