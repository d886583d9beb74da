// ConnectionSpecifier.swift: identifies connections by their ends. SPDX-License-Identifier: MIT

import PluginModel

/// Both ends of a connection, as in `voice -> hall` or `voice:1 -> hall:2`.
package struct ConnectionSpecifier: Equatable {
  /// Without blanks.
  package let from: String
  package let to: String

  /// The name of the node that it leads to, without its channels.
  package var sink: String { String(to.prefix { $0 != ":" }) }

  /// The reason why a name means no connection of a rig.
  package struct Fault: Error, Equatable {
    /// The message, starting in lower case.
    package let message: String

    /// Creates a reason.
    package init(message: String) { self.message = message }
  }

  /// Returns whether a text is meant to identify a connection. [any]
  package static func matches(_ text: String) -> Bool { text.contains("->") }

  /// Parses a text; returns nil unless it has two ends. [any]
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

  /// Returns the index of the connection among others; connections inside nested rigs have no name here.
  ///
  /// Names of nodes are compared without case, unless only the case distinguishes them. If no connection has
  /// these channels, the only connection between the nodes is returned.
  package func index(among connections: [(index: Int, connection: RigConnection)]) -> Result<
    Int, Fault
  > {
    let named = connections.filter { $0.connection.scope.isEmpty }
      .map { (index: $0.index, name: ConnectionSpecifier($0.connection)) }
    let small = lowercased
    let matchers: [(ConnectionSpecifier) -> Bool] = [
      { $0 == self }, { $0.lowercased == small }, { $0.nodes == (from, to) },
      { $0.lowercased.nodes == (small.from, small.to) },
    ]
    let found =
      matchers.lazy.map { isMeant in named.filter { isMeant($0.name) } }
      .first { !$0.isEmpty } ?? []
    if found.count == 1 { return .success(found[0].index) }
    guard found.isEmpty else {
      return .failure(
        Fault(
          message:
            "several connections lead from \(from) to \(to). Specify the channels."))
    }
    let inner = connections.first {
      !$0.connection.scope.isEmpty && ConnectionSpecifier($0.connection).lowercased == small
    }
    if let inner {
      return .failure(
        Fault(
          message:
            "the gain from \(from) to \(to) is set in \(inner.connection.file ?? "the nested rig"),"
            + " not in this rig."))
    }
    return .failure(
      Fault(message: "no connection leads from \(from) to \(to). \(hint(named.map(\.name)))"))
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

  /// Returns the connections from the same source as suggestions, otherwise similar ones.
  private func hint(_ known: [ConnectionSpecifier]) -> String {
    guard !known.isEmpty else { return "The rig has none." }
    let source = from.split(separator: ":").first.map(String.init) ?? from
    let leaving = known.filter { $0.nodes.0 == source }.map(\.text)
    if !leaving.isEmpty { return "From \(source) there is \(leaving.joined(separator: ", "))." }
    let all = known.map(\.text)
    return nearest(to: text, among: all).map { "Did you mean \($0)?" }
      ?? "There is \(all.joined(separator: ", "))."
  }

  private var text: String { "\(from) -> \(to)" }
}

extension RigConnection {
  /// The name, as a rig writes it. [any]
  package var label: String { "\(from.label(isSource: true)) -> \(to.label(isSource: false))" }

  /// Returns whether both connections are the same except for their gains and locations. [any]
  package func isAlike(_ other: RigConnection) -> Bool {
    from.isAlike(other.from) && to.isAlike(other.to) && scope == other.scope
      && delaySeconds == other.delaySeconds
  }
}

extension ConnectionEndpoint {
  /// Returns the text of the endpoint in a rig.
  func label(isSource: Bool) -> String {
    var name = nodeName ?? (isSource ? "in" : "out")
    for ending in ["/in", "/out"] where name.hasSuffix(ending) {
      name = String(name.dropLast(ending.count))
    }
    return name + ports.suffix.filter { !$0.isWhitespace }
  }

  fileprivate func isAlike(_ other: ConnectionEndpoint) -> Bool {
    location == other.location && ports == other.ports
  }
}
