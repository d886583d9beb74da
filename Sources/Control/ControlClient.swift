// ControlClient.swift: asks things of a run. SPDX-License-Identifier: MIT

import Foundation

/// A connection to one run. [main]
package final class ControlClient {
  /// What the run is called.
  package let name: String
  private let socket: UnixSocket
  private var rest = Data()
  /// A run answers within a tenth of a second; saving much state may take longer.
  private static let patienceSeconds = 60
  /// Plugins may have to be compiled and tried before another rig is heard.
  private static let editPatienceSeconds = 900

  /// Names of the runs that can be reached, sorted. [any]
  package static func running(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String] {
    ControlFolder.sockets(environment).filter { UnixSocket.connect(to: $0.path) != nil }.map(\.name)
  }

  /// Calls a run by its name, or the only one where none is named. [main]
  ///
  /// - Throws: `ControlError` where there is none, or several and no name.
  package init(
    run wanted: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ControlError) {
    let reached = ControlFolder.sockets(environment).compactMap { entry in
      UnixSocket.connect(to: entry.path).map { (name: entry.name, socket: $0) }
    }
    let names = reached.map(\.name)
    guard !reached.isEmpty else { throw .nothingRuns }
    let chosen = wanted.map { wanted in reached.filter { $0.name == wanted } } ?? reached
    guard let first = chosen.first else { throw .unknown(name: wanted ?? "", running: names) }
    guard wanted != nil || chosen.count == 1 else { throw .ambiguous(running: names) }
    name = first.name
    socket = first.socket
  }

  /// Asks, and waits for the answer. [main]
  ///
  /// - Throws: `ControlError.refused` with what the run has against it, or `.silent`.
  package func ask(_ request: ControlRequest) throws(ControlError) -> ControlReply {
    let isEdit = [.load, .undo, .redo].contains(request.action)
    socket.setPatience(seconds: isEdit ? Self.editPatienceSeconds : Self.patienceSeconds)
    guard let data = try? JSONEncoder().encode(request), socket.send(line: data),
      let line = socket.readLine(&rest),
      let reply = try? JSONDecoder().decode(ControlReply.self, from: line)
    else { throw .silent(name: name) }
    if let fault = reply.error { throw .refused(message: fault.message, status: fault.status) }
    return reply
  }
}
