// NodeFaults.swift: the faults of nodes in a session. SPDX-License-Identifier: MIT

import RenderGraph

struct NodeFaults {
  /// The window in which the faults of a node are counted, in seconds.
  static let timeoutSeconds = 60.0
  /// The number of faults within the window after which a node is still re-created.
  static let maximumFaultCount = 2
  /// How long after a fault invalid samples at another node may be its consequence, in seconds.
  static let echoSeconds = 10.0
  /// The shortest interval between messages about the same kind of fault, in seconds.
  static let silenceSeconds = 10.0
  /// Silence of this length has no faulty node as its cause, in seconds; one would have been found.
  static let searchSeconds = 0.5

  /// The times of faults, by node name, in seconds of system uptime.
  var times: [String: [Double]] = [:]
  /// The last kind of fault, by node name.
  private(set) var kinds: [String: NodeFault] = [:]
  /// The number of faults in the whole session, by node name.
  private(set) var counts: [String: Int] = [:]
  /// The nodes that stay bypassed until the rig changes.
  var bypassedNodes: Set<String> = []
  /// The delayed connections that are muted because their feedback is unstable.
  var cutLines: Set<ConnectionDelay.Key> = []
  /// The last of them, and its time in seconds of system uptime.
  var lastCut: (node: String, seconds: Double)?
  /// When silence without a known cause began, and when it was last detected and reported.
  var silenceBegan: Double?
  var silenceSeen = -Double.infinity
  var lastMuteReport = -Double.infinity
  /// When nodes received a runaway level from their connections, by name, and when that was last
  /// reported.
  var overloads: [String: Double] = [:]
  var lastOverloadReports: [String: Double] = [:]
  /// When invalid input samples were last reported.
  var lastInputReport = -Double.infinity
  /// Whether a DC offset without a faulty node was reported.
  var hasReportedOffset = false

  /// Counts a fault of a node.
  mutating func count(_ fault: NodeFault, of name: String) {
    kinds[name] = fault
    counts[name, default: 0] += 1
  }
}
