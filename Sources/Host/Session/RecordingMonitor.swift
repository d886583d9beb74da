// RecordingMonitor.swift: the recordings of a session. SPDX-License-Identifier: MIT

import ErrorModel
import FileRecording
import PluginModel
import RigPlanning

/// Tracks all recordings of a session: the active ones, and the results of those that have ended.
struct RecordingMonitor {
  private var current: [Recording] = []
  private var ended: [RecordingReport] = []

  /// Adds the recorders among the nodes of a rig. [main]
  mutating func follow(_ members: [BuiltRig.BuiltNode]) {
    for member in members {
      for recording in member.nodes.compactMap({ $0.capabilities[Recording.self] })
      where !current.contains(where: { $0 === recording }) {
        // A recorder that has ended is no longer a member.
        current.append(recording)
      }
    }
  }

  /// Returns the status of all recordings, the oldest first. [main]
  var reports: [RecordingReport] { ended + current.flatMap(\.reports) }

  /// Returns the notices since the last call, and those about recordings that ended. [main]
  mutating func takeNotices() -> [HostNotice] {
    let notices = current.flatMap { $0.takeNotices() + $0.takeSummaries() }
    // This also frees their rings.
    for recording in current where recording.isStopped { ended += recording.reports }
    current.removeAll(where: \.isStopped)
    return notices
  }
}
