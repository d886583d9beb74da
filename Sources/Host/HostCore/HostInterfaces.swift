// HostInterfaces.swift: the interfaces of a running host. SPDX-License-Identifier: MIT

import ErrorModel
package import HostModel
package import Session

/// Opens interfaces, and ends them with the session. [main]
package final class HostInterfaces {
  /// Why interfaces could not be opened, one message each.
  package private(set) var warnings: [String] = []
  private var interfaces: [any HostInterface] = []
  private let host: Host

  /// Opens one interface of each kind for a session that has not been started yet.
  ///
  /// - Parameters:
  ///   - kinds: the registry.
  ///   - host: of the session.
  ///   - sessionName: the name that users specify.
  package init(_ kinds: [HostInterfaceKind], of host: Host, sessionName: String) {
    self.host = host
    let connection = HostConnection(
      port: host.port, sessionName: sessionName, notify: host.session.notices.append)
    for kind in kinds {
      do { interfaces.append(try kind.open(connection)) } catch { warnings.append("\(error)") }
    }
    host.addresses = interfaces.compactMap(\.address)
  }

  /// Reports the fault that ends or interrupts the session. [any, while the main thread is blocked]
  package func reportFailure(_ fault: FatalFault, restarts: Bool = false) {
    let message = EventMessage(seconds: host.seconds, .failure(.init(fault, restarts: restarts)))
    for interface in interfaces { interface.reportFailure(message) }
  }

  /// Ends the interfaces, the last one first, after the host was stopped. [main, or any thread while the main thread is blocked]
  package func stop() {
    for interface in interfaces.reversed() { interface.stop() }
  }
}
