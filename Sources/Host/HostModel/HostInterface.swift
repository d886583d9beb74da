// HostInterface.swift: the protocol of interfaces to a host, such as sockets. SPDX-License-Identifier: MIT

package import ErrorModel

/// A client of a host that lives as long as its session: a socket, a controller, a web page, an event log.
///
/// An interface sends commands and receives events through the port of its connection. It never reaches into the
/// session.
package protocol HostInterface: AnyObject {
  /// Reports the fault that ends the session, before the other clients learn of it. [any, while the main thread is
  /// blocked]
  ///
  /// Only an interface whose output must appear even if the process ends at once needs this.
  func reportFailure(_ message: EventMessage)

  /// The address at which users reach the interface, without secrets; nil if it has none. [main]
  var address: String? { get }

  /// Ends the interface; waits at most a second for what is still to be sent. [main, or any thread while the main
  /// thread is blocked]
  func stop()
}

extension HostInterface {
  /// Default: none.
  package var address: String? { nil }

  /// Does nothing; the event `failure` follows.
  package func reportFailure(_ message: EventMessage) {}
}

/// The arguments of an interface when it is opened.
package struct HostConnection: Sendable {
  /// Accepts commands and delivers events.
  package let port: any CommandPort
  /// The name of the session, as users specify it.
  package let sessionName: String
  /// Shows the user a notice, on any thread.
  package let notify: @Sendable (HostNotice) -> Void

  /// A connection by its parts.
  package init(
    port: any CommandPort, sessionName: String,
    notify: @escaping @Sendable (HostNotice) -> Void = { _ in }
  ) {
    (self.port, self.sessionName, self.notify) = (port, sessionName, notify)
  }
}

/// Opens interfaces of one kind; a program registers it.
package struct HostInterfaceKind: Sendable {
  /// Opens an interface. [main]
  ///
  /// It is called after the devices were opened and before audio starts. Commands wait until it has started. An
  /// interface that subscribes to events in this call receives all of them, `started` first.
  package let open: @Sendable (HostConnection) throws -> any HostInterface

  /// A kind by its function.
  ///
  /// `open` throws if the interface cannot be opened; the session runs without it.
  package init(open: @escaping @Sendable (HostConnection) throws -> any HostInterface) {
    self.open = open
  }
}
