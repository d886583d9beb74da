// RecordingMonitor.swift: the recordings of a rig, as they come and go. SPDX-License-Identifier: MIT

import FileRecording
import Rig

/// Knows every recording of a run: those under way, and what became of those that have ended.
struct RecordingMonitor {
  private var current: [Recording] = []
  private var ended: [RecordingReport] = []

  /// Takes notice of the recorders among a rig's nodes. [main]
  mutating func follow(_ members: [BuiltRig.BuiltNode]) {
    for member in members {
      for case let node as RecorderNode in member.nodes
      where !current.contains(where: { $0 === node.recording }) {
        // One that has ended is no longer a member.
        current.append(node.recording)
      }
    }
  }

  /// How they go, and went, the oldest first. [main]
  var reports: [RecordingReport] { ended + current.flatMap(\.reports) }

  /// What happened since the last call, and what became of those that ended, one sentence each. [main]
  mutating func takeNotices() -> [String] {
    let sentences = current.flatMap { $0.takeNotices() + $0.takeSummaries() }
    // Their rings go with them.
    for recording in current where recording.isStopped { ended += recording.reports }
    current.removeAll(where: \.isStopped)
    return sentences
  }
}
