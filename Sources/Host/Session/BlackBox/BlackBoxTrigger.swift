// BlackBoxTrigger.swift: the state of automatic black boxes. SPDX-License-Identifier: MIT

import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
import RenderGraph

struct BlackBoxTrigger {
  /// The length of a black box, in seconds.
  static let seconds = 10.0
  /// The delay from a fault to its black box, in seconds, so that it also contains what followed.
  static let delaySeconds = 1.0
  /// The maximum number of automatic black boxes, so that a long session does not fill the disk.
  static let maximumDirectoryCount = 50
  /// The number of recent messages in a black box.
  static let maximumNoticeCount = 100

  /// The parent directory of automatic black boxes; nil if they are disabled.
  let directory: String?
  var xrunCount = 0
  /// The reason for the next black box, and when it is written, in seconds of system uptime.
  var pending: (reason: String, due: Double)?
  /// The earliest time of the next automatic black box, because the previous one has most of the
  /// data.
  var notBefore = -Double.infinity
  var directoryCount = 0
  var notices: [String] = []
  /// Nodes by the addresses of their states, including removed nodes.
  var names: [BlackBoxSnapshot.NodeAddress: String] = [:]
  let writer = DispatchQueue(label: "black box")

  /// Stores the node names of a graph.
  mutating func follow(_ graph: LiveGraph) {
    unsafe graph.contextNames.forEach { context, name in
      unsafe names[BlackBoxSnapshot.NodeAddress(context)] = name
    }
  }

  mutating func record(_ more: [HostNotice]) {
    notices += more.map(\.description)
    notices.removeFirst(max(0, notices.count - Self.maximumNoticeCount))
  }
}
