// ConnectionSpecifier.swift: connections as people name them, by both ends. SPDX-License-Identifier: MIT

import PluginModel

/// Both ends of a connection, as in `voice -> hall` or `voice:1 -> hall:2`.
package struct ConnectionSpecifier: Equatable {
  /// Without blanks.
  let from: String
  let to: String

  /// The name of the node that it leads to, without its channels.
  package var sink: String { String(to.prefix { $0 != ":" }) }

  /// Why a name stands for no connection of a rig.
  package struct Fault: Error, Equatable {
    /// One sentence, its first letter small.
    package let sentence: String
  }

  /// Whether a text is meant for one. [any]
  package static func isMeant(by text: String) -> Bool { text.contains("->") }

  /// Nil unless the text has two ends. [any]
  package init?(_ text: String) {
    let ends = text.split(separator: ">", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
    guard ends.count == 2, ends[0].hasSuffix("-") else { return nil }
    (from, to) = (Self.plain(ends[0].dropLast()), Self.plain(ends[1][...]))
  }

  /// An end whose channels are written as a connection's own name has them.
  private static func plain(_ end: Substring) -> String {
    let parts = end.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let ports = ConnectionEndpoint.Ports(String(parts[1])) else {
      return String(end)
    }
    return parts[0] + ports.suffix
  }

  /// The place of the connection among others, of which those within rigs within have no name here.
  ///
  /// Names of nodes may be in any letter case, unless that tells them apart. Where no connection has these
  /// channels, the one is meant that joins the nodes.
  package func place(among connections: [(place: Int, connection: RigConnection)]) -> Result<
    Int, Fault
  > {
    let named = connections.filter { $0.connection.scope.isEmpty }
      .map { (place: $0.place, name: ConnectionSpecifier($0.connection)) }
    let small = lowercased
    let likenesses: [(ConnectionSpecifier) -> Bool] = [
      { $0 == self }, { $0.lowercased == small }, { $0.nodes == (from, to) },
      { $0.lowercased.nodes == (small.from, small.to) },
    ]
    let found =
      likenesses.lazy.map { isMeant in named.filter { isMeant($0.name) } }
      .first { !$0.isEmpty } ?? []
    if found.count == 1 { return .success(found[0].place) }
    guard found.isEmpty else {
      return .failure(
        Fault(
          sentence:
            "several connections lead from \(from) to \(to). Specify the channels."))
    }
    let inner = connections.first {
      !$0.connection.scope.isEmpty && ConnectionSpecifier($0.connection).lowercased == small
    }
    if let inner {
      return .failure(
        Fault(
          sentence:
            "the gain from \(from) to \(to) is set in \(inner.connection.file ?? "the nested rig"),"
            + " not in this rig."))
    }
    return .failure(
      Fault(sentence: "no connection leads from \(from) to \(to); \(hint(named.map(\.name)))"))
  }

  private init(_ connection: RigConnection) {
    let (from, to) = (connection.from.label(isSource: true), connection.to.label(isSource: false))
    (self.from, self.to) = (from.filter { !$0.isWhitespace }, to.filter { !$0.isWhitespace })
  }

  private var lowercased: ConnectionSpecifier {
    ConnectionSpecifier(from: from.lowercased(), to: to.lowercased())
  }

  private init(from: String, to: String) { (self.from, self.to) = (from, to) }

  private var nodes: (String, String) {
    (String(from.split(separator: ":")[0]), String(to.split(separator: ":")[0]))
  }

  /// The ones that leave the same place, as one of them is meant, or else whatever comes near.
  private func hint(_ known: [ConnectionSpecifier]) -> String {
    guard !known.isEmpty else { return "the rig has none." }
    let place = from.split(separator: ":").first.map(String.init) ?? from
    let leaving = known.filter { $0.nodes.0 == place }.map(\.text)
    if !leaving.isEmpty { return "from \(place) there is \(leaving.joined(separator: ", "))." }
    let all = known.map(\.text)
    return nearest(to: text, among: all).map { "did you mean \($0)?" }
      ?? "there is \(all.joined(separator: ", "))."
  }

  private var text: String { "\(from) -> \(to)" }
}

extension RigConnection {
  /// Its name, as a rig writes it. [any]
  package var label: String { "\(from.label(isSource: true)) -> \(to.label(isSource: false))" }

  /// Whether another one is the same but for its gain, wherever it is written. [any]
  package func isAlike(_ other: RigConnection) -> Bool {
    from.isAlike(other.from) && to.isAlike(other.to) && scope == other.scope
      && delaySeconds == other.delaySeconds
  }
}

extension ConnectionEndpoint {
  /// As a rig writes it.
  fileprivate func label(isSource: Bool) -> String {
    var name = nodeName ?? (isSource ? "in" : "out")
    for ending in ["/in", "/out"] where name.hasSuffix(ending) {
      name = String(name.dropLast(ending.count))
    }
    return name + ports.suffix.filter { !$0.isWhitespace }
  }

  fileprivate func isAlike(_ other: ConnectionEndpoint) -> Bool {
    place == other.place && ports == other.ports
  }
}
