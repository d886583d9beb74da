// LiveSession+FatalFault.swift: a run that foreign code ends. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import FileRecording
import PluginModel
import Rig

extension LiveSession {
  /// A node may take as many periods for one, before it counts as one that never returns, where that is more than the
  /// usual time.
  static let patienceBlocks = 4.0

  /// Counts lost sound while a node does not return, and reports the fault that ends the run.
  func withFault(_ status: DriverStatus) -> DriverStatus {
    var status = status
    if let fault { status.failure = fault.sentence }
    if let seconds = FaultMonitor.shared?.stall?.seconds {
      status.xrunCount += 1
      status.lostSeconds += seconds
    }
    return status
  }

  /// Ends recordings, and whatever else writes files, without waiting for a thread that renders. [main, or the thread of
  /// `FaultMonitor` while the main thread stands still]
  ///
  /// The nodes and the driver stay as they are: the process ends next.
  package func abandon(because fault: FatalFault) {
    self.fault = fault
    for member in graph.members {
      for node in member.nodes where node.abilities[Recording.self] != nil { node.deactivate() }
    }
    borderMeters?.end()
  }
}
