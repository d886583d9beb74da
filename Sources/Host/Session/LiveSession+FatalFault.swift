// LiveSession+FatalFault.swift: plugin faults that end a session. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import FileRecording
import PluginModel
import RigPlanning

extension LiveSession {
  /// The time limit of a process call, in periods, if that is longer than the usual limit.
  static let timeoutBlocks = 4.0

  /// Counts lost frames while a node hangs, and reports the fault that ends the session.
  func withFault(_ status: DriverStatus) -> DriverStatus {
    var status = status
    if let fault { status.failure = fault.message }
    if let seconds = FaultMonitor.shared?.stall?.seconds {
      status.xrunCount += 1
      status.lostSeconds += seconds
    }
    return status
  }

  /// Ends recordings and other files without waiting for a render thread. [main, or the thread of
  /// `FaultMonitor` while the main thread is blocked]
  ///
  /// Nodes and driver are not closed, because the process ends next.
  package func abandon(because fault: FatalFault) {
    self.fault = fault
    for member in graph.members {
      for node in member.nodes where node.abilities[Recording.self] != nil { node.deactivate() }
    }
    ioMeters?.end()
  }
}
