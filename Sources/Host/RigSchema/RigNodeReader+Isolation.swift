// RigNodeReader+Isolation.swift: the worker process of a node. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension RigNodeReader {
  private static let isolationKeys = ["group", "latency"]
  private static let latencyWords = ["none", NodeIsolation.blockWord]

  /// Reads a word or the name of a group, alone or in a mapping with the latency.
  static func readIsolation(_ cursor: ManifestCursor) -> NodeIsolation? {
    let expected = ExpectedValue(
      what: "auto, off, own, the name of a group, or a mapping", example: "isolate: own")
    guard case .mapping = cursor.node.content else {
      guard let text = cursor.text(expected) else { return nil }
      return isValid(NodeIsolation.fault(in: text), cursor) ? NodeIsolation(text) : nil
    }
    guard let fields = cursor.fields(known: isolationKeys, expected) else { return nil }
    var isolation = NodeIsolation.automatic
    if let group = fields["group"] {
      let expected = ExpectedValue(
        what: "auto, off, own, or the name of a group", example: "group: own")
      guard let text = group.text(expected),
        isValid(NodeIsolation.processFault(in: text), group)
      else { return nil }
      isolation = NodeIsolation(text)
    }
    if let latency = fields["latency"] {
      let expected = ExpectedValue(what: "none or block", example: "latency: block")
      isolation.isBlockLate =
        latency.word(among: latencyWords, expected) == NodeIsolation.blockWord
    }
    return isValid(isolation.fault, cursor) ? isolation : nil
  }

  /// Whether there is no fault; reports one.
  private static func isValid(_ fault: String?, _ cursor: ManifestCursor) -> Bool {
    guard let fault else { return true }
    cursor.report(.broken(rule: fault))
    return false
  }
}
