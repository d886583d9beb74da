// PortsText.swift: parses channels and ports after a node name. SPDX-License-Identifier: MIT

import Manifests

extension ConnectionEndpoint.Ports {
  private static let channels = 1 ... 64

  /// Channels as in `1`, `1-2`, `1,3`, or a port's or group's name; nil for neither. [any]
  init?(_ text: String) {
    guard let first = text.first else { return nil }
    guard first.isASCII, first.isNumber else {
      let isName = text.allSatisfy { $0.isLetter || $0.isNumber || "_-. ".contains($0) }
      guard isName, first != "-" else { return nil }
      self = .named(text)
      return
    }
    var list: [Int] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = piece.split(separator: "-", omittingEmptySubsequences: false)
        .map { Int(String($0).trimmed) }
      guard ends.count <= 2, let low = ends[0], let high = ends[ends.count - 1], low <= high,
        Self.channels.contains(low), Self.channels.contains(high)
      else { return nil }
      list += low ... high
    }
    guard Set(list).count == list.count else { return nil }
    self = .channels(list)
  }

  /// The suffix of a node name, with the colon; empty for all ports. [any]
  var suffix: String {
    switch self {
    case .all: ""
    case .named(let port): ":\(port)"
    case .channels(let list): ":\(Self.text(list))"
    }
  }

  /// Runs of neighbours by their ends: `1-4,7`.
  private static func text(_ channels: [Int]) -> String {
    var runs: [ClosedRange<Int>] = []
    for channel in channels {
      if let last = runs.last, last.upperBound + 1 == channel {
        runs[runs.count - 1] = last.lowerBound ... channel
      } else {
        runs.append(channel ... channel)
      }
    }
    return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }
}
