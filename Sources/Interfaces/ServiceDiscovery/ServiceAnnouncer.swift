// ServiceAnnouncer.swift: announces a session in the local network. SPDX-License-Identifier: MIT

import ErrorModel
import Glibc
package import HostModel
import Processes
import RealtimeKit
import Synchronization

/// Announces services by DNS-SD (zeroconf), by one process `avahi-publish` for each.
///
/// The processes end with this one: `setpriv` makes the kernel end them, even after SIGKILL.
package final class ServiceAnnouncer: HostInterface, Sendable {
  /// A service of the session.
  package struct Service: Sendable, Equatable {
    /// The type, such as `_osc._udp`.
    package let type: String
    /// The port.
    package let port: Int

    /// A service by its type and port.
    package init(_ type: String, port: Int) { (self.type, self.port) = (type, port) }
  }

  private struct State {
    var processes: Set<Int32> = []
    var isStopped = false
    var hasReported = false
  }

  private let state = Mutex(State())
  private let notify: @Sendable (HostNotice) -> Void

  /// Announces these services under the name of the session.
  package static func kind(_ services: [Service]) -> HostInterfaceKind {
    HostInterfaceKind { ServiceAnnouncer(services, $0) }
  }

  /// Starts the processes. [main]
  ///
  /// The kernel ends them with the thread that has started them.
  private init(_ services: [Service], _ connection: HostConnection) {
    notify = connection.notify
    for service in services { start(service, name: "Outboard \(connection.sessionName)") }
  }

  private func start(_ service: Service, name: String) {
    let spawn = ProcessSpawn([
      "setpriv", "--pdeathsig", "TERM", "avahi-publish", "--service", name, service.type,
      "\(service.port)",
    ])
    do throws(ProcessSpawn.Failure) {
      let process = try spawn.start()
      state.withLock { _ = $0.processes.insert(process) }
      _ = DetachedThread.start { [self] in wait(for: process) }
    } catch {
      report(.announcerMissing)
    }
  }

  private func wait(for process: Int32) {
    var information = unsafe siginfo_t()
    // The process is reaped only after its ID was removed, so that `stop` never signals another one.
    while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR
    {}
    let isStopped = state.withLock { state in
      state.processes.remove(process)
      return state.isStopped
    }
    let status = ProcessSpawn.wait(for: process)
    guard !isStopped else { return }
    // The status of `setpriv` if it cannot find the program.
    report(status >> 8 & 0xFF == 127 ? .announcerMissing : .announcerEnded)
  }

  /// Shows a notice once, because all services end for the same reason.
  private func report(_ notice: HostNotice) {
    let isFirst = state.withLock { state in
      defer { state.hasReported = true }
      return !state.hasReported
    }
    if isFirst { notify(notice) }
  }

  /// Ends the announcement, because the session ends or begins again in the same process. [any]
  package func reportFailure(_ message: EventMessage) { stop() }

  /// Ends the announcement. [any]
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      for process in state.processes { kill(process, SIGTERM) }
    }
  }
}
