// RunRecord.swift: what happened in a session. SPDX-License-Identifier: MIT

import FoundationEssentials

/// A summary of a session, which is stored while it runs and when it ends.
package struct RunRecord: Codable, Sendable, Equatable {
  /// How a session ended.
  package enum End: String, Codable, Sendable {
    /// The user stopped it, or its time or input was over.
    case stopped
    /// A device or stream failed.
    case failed
    /// A plugin crashed, exited or did not return.
    case fault
    /// The session ended by a fault, and another session continued at once in the same process.
    case restarted
  }

  /// A node and its mean load.
  package struct NodeCost: Codable, Sendable, Equatable {
    /// The name in the rig.
    package var node: String
    /// The plugin.
    package var plugin: String
    /// The mean load as a fraction of the period.
    package var mean: Double

    /// Creates the cost of a node.
    package init(node: String, plugin: String, mean: Double) {
      (self.node, self.plugin, self.mean) = (node, plugin, mean)
    }
  }

  /// The faults of a node.
  package struct NodeFaultCount: Codable, Sendable, Equatable {
    /// The name in the rig.
    package var node: String
    /// The plugin.
    package var plugin: String
    /// The kind of the last fault: `nan`, `runaway`, `overload`, `dc-offset` or `worker`.
    package var kind: String
    /// The number of faults.
    package var count: Int

    /// Creates the count of a node.
    package init(node: String, plugin: String, kind: String, count: Int) {
      (self.node, self.plugin, self.kind, self.count) = (node, plugin, kind, count)
    }
  }

  /// The version of this format.
  static let currentVersion = 1

  /// The version of the format.
  package private(set) var version = Self.currentVersion
  /// The name of the rig.
  package var rig: String
  /// The process.
  package var process: Int32
  /// When the process started, in clock ticks since the system start; with `process`, it identifies the process.
  package var processStart: UInt64
  /// When the session started, in milliseconds since 1970.
  package var startedAt: Int64
  /// The duration until the record was written, in seconds.
  package var seconds = 0.0
  /// The names of the devices, captured ones first.
  package var devices: [String]
  /// The sample rate in Hz.
  package var sampleRateHz: Double
  /// The period in frames.
  package var periodFrames: Int
  /// The number of threads that have rendered.
  package var threads = 1
  /// The mean load as a fraction of the period.
  package var meanLoad = 0.0
  /// The maximum load as a fraction of the period.
  package var worstLoad = 0.0
  /// The number of xruns.
  package var xruns = 0
  /// The audio that was lost in them, in seconds.
  package var lostSeconds = 0.0
  /// The node with the highest mean load; nil if it was not measured.
  package var costliest: NodeCost?
  /// The last overload; nil if there was none.
  package var overload: OverloadAdvice?
  /// The faults of nodes, by name.
  package var faults: [NodeFaultCount] = []
  /// How the session ended; nil while it runs, or if it was killed.
  package var end: End?
  /// A message: why the session ended; nil if the user stopped it.
  package var reason: String?

  /// Creates the record of a session that starts.
  package init(
    rig: String, process: Int32, processStart: UInt64, startedAt: Int64, devices: [String],
    sampleRateHz: Double, periodFrames: Int
  ) {
    (self.rig, self.process, self.processStart) = (rig, process, processStart)
    (self.startedAt, self.devices) = (startedAt, devices)
    (self.sampleRateHz, self.periodFrames) = (sampleRateHz, periodFrames)
  }
}
