// FaultNotices.swift: the notices about faults. SPDX-License-Identifier: MIT

import ErrorModel
import Glibc
import RenderGraph

// MARK: - Inputs, outputs and connections

extension HostNotice {
  /// A feedback loop was muted because of its level.
  static func feedbackUnstable(from node: String) -> HostNotice {
    HostNotice(
      "feedbackUnstable",
      "Feedback through the delayed connection from {node} is unstable and was muted. Lower the gain of that connection.",
      node)
  }

  /// A feedback loop was muted because of its offset.
  static func feedbackOffset(from node: String) -> HostNotice {
    HostNotice(
      "feedbackOffset",
      "Feedback through the delayed connection from {node} settled at a constant offset and was muted. Lower the gain of that connection.",
      node)
  }

  /// The outputs have a runaway level that no node causes.
  static var outputRunaway: HostNotice {
    HostNotice(
      "outputRunaway",
      "The output exceeded +40 dBFS and was muted. No single node is the cause. Check the connection gains."
    )
  }

  /// The outputs have a DC offset that no node causes.
  static var outputOffset: HostNotice {
    HostNotice(
      "outputOffset",
      "The output has a DC offset, which can damage loudspeakers. No single node is the cause. Check the input, or set `dc_protection: off` if the offset is intended."
    )
  }

  /// The inputs have NaN or infinity.
  static var inputInvalidSamples: HostNotice {
    HostNotice(
      "inputInvalidSamples",
      "The input has invalid samples (NaN or infinity), which are replaced by silence. Check the program or device that sends it."
    )
  }

  /// The connections to a node have too much gain.
  static func nodeInputRunaway(_ node: String) -> HostNotice {
    HostNotice(
      "nodeInputRunaway",
      "{node} receives a signal above +40 dBFS and was muted. Lower the gains of the connections that lead to it.",
      node)
  }

  /// The fault of another node has reached a node.
  static func nodeReceivedInvalidSamples(_ node: String, from cause: String) -> HostNotice {
    HostNotice(
      "nodeReceivedInvalidSamples",
      "{node} received invalid samples from {cause} and was re-created.", node, cause)
  }
}

// MARK: - Faulty nodes

extension HostNotice {
  /// A fault of a node; the outcome follows.
  static func fault(_ found: DetectedFault, of node: String) -> HostNotice {
    switch found.fault {
    case .invalidSamples:
      HostNotice("nodeInvalidSamples", "{node} output NaN or infinity and was muted.", node)
    case .runaway:
      HostNotice("nodeRunaway", "{node} output a level above +40 dBFS and was muted.", node)
    case .overload:
      HostNotice(
        "nodeOverload",
        "{node} used {percent} % of several consecutive periods and was bypassed to prevent dropouts.",
        node, "\(Int((found.measure * 100).rounded()))")
    case .dcOffset:
      HostNotice(
        "nodeOffset",
        "{node} output a DC offset of {levelDBFS} dBFS and was bypassed to protect the loudspeakers.",
        node, "\(Int((20 * log10(found.measure)).rounded()))")
    case .worker:
      HostNotice("nodeLostWorker", "{node} lost its worker process and was bypassed.", node)
    }
  }

  /// The fault of a worker process; the outcome follows.
  ///
  /// - Parameters:
  ///   - fault: what happened, as a phrase after the name of the node.
  ///   - node: the node that has caused it; nil if several can have.
  ///   - plugin: the plugin of that node.
  ///   - others: the other nodes of the process.
  /// - Returns: the notice.
  static func workerFault(
    _ fault: String, of node: String?, plugin: String, others: [String]
  ) -> HostNotice {
    guard let node else {
      return HostNotice(
        "workerFault", "One of {nodes} {cause} in their worker process, and all were bypassed.",
        list(others), fault)
    }
    return HostNotice(
      "workerFault",
      (node == plugin ? "{node}" : "{node} ({plugin})") + " {cause} in "
        + (others.isEmpty
          ? "its worker process and was bypassed."
          : "the worker process of {nodes}, and all were bypassed."),
      details: [
        "node": node, "plugin": plugin, "cause": fault, "nodes": list([node] + others),
      ])
  }

  /// Several worker processes were late at once; the outcome follows.
  static func workersLate(_ nodes: [String]) -> HostNotice {
    HostNotice(
      "workersLate",
      "{nodes} did not return from a block at the same time and were bypassed, because the machine was busy.",
      list(nodes))
  }

  /// An isolated node passed its input on in some blocks.
  static func workerLate(_ node: String, blockCount: UInt64) -> HostNotice {
    HostNotice(
      "workerLate",
      "{node} was too late in {count} block\(blockCount == 1 ? "" : "s"), which passed unprocessed.",
      node, "\(blockCount)")
  }

  private static func list(_ names: [String]) -> String {
    names.count == 1
      ? names[0] : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
  }

  /// A call on the audio thread that can block; `node` is nil for the host.
  static func realTimeViolation(by node: String?, _ function: String, at location: String?)
    -> HostNotice
  {
    let details = ["function": function, "node": node, "location": location].compactMapValues(
      \.self)
    return HostNotice(
      "realTimeViolation",
      "Real-time violation: \(node == nil ? "outboard itself" : "{node}") called {function} on the audio thread"
        + (location == nil ? "." : " at {location}."), details: details)
  }
}
