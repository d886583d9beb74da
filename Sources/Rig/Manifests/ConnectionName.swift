// ConnectionName.swift: connections as people name them, by both ends. SPDX-License-Identifier: MIT

import PluginModel

/// Both ends of a connection, as in `voice -> hall` or `voice:1 -> hall:2`.
package struct ConnectionName: Equatable {
  /// Without blanks.
  let from: String
  let to: String

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
    (from, to) = (String(ends[0].dropLast()), ends[1])
  }

  /// The place of the connection among others, of which those within rigs within have no name here.
  ///
  /// Where none has these channels, the one is meant that joins the nodes.
  package func place(among connections: [(place: Int, connection: RigConnection)]) -> Result<
    Int, Fault
  > {
    let named = connections.filter { $0.connection.scope.isEmpty }
      .map { (place: $0.place, name: ConnectionName($0.connection)) }
    let exact = named.filter { $0.name == self }
    let loose = named.filter { $0.name.nodes == (from, to) }
    let found = exact.isEmpty ? loose : exact
    if found.count == 1 { return .success(found[0].place) }
    guard found.isEmpty else {
      return .failure(
        Fault(
          sentence:
            "several connections lead from \(from) to \(to); name their channels, as they do."))
    }
    return .failure(
      Fault(sentence: "no connection leads from \(from) to \(to); \(hint(named.map(\.name)))"))
  }

  private init(_ connection: RigConnection) {
    let (from, to) = (connection.from.label(isSource: true), connection.to.label(isSource: false))
    (self.from, self.to) = (from.filter { !$0.isWhitespace }, to.filter { !$0.isWhitespace })
  }

  private var nodes: (String, String) {
    (String(from.split(separator: ":")[0]), String(to.split(separator: ":")[0]))
  }

  /// The ones that leave the same place, as one of them is meant, or else whatever comes near.
  private func hint(_ known: [ConnectionName]) -> String {
    guard !known.isEmpty else { return "there is none." }
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

extension RigEnd {
  /// As a rig writes it.
  fileprivate func label(isSource: Bool) -> String {
    var name = nodeName ?? (isSource ? "in" : "out")
    for ending in ["/in", "/out"] where name.hasSuffix(ending) {
      name = String(name.dropLast(ending.count))
    }
    switch ports {
    case .all: return name
    case .named(let port): return "\(name):\(port.filter { !$0.isWhitespace })"
    case .channels(let list): return "\(name):\(list.map { "\($0)" }.joined(separator: ","))"
    }
  }

  fileprivate func isAlike(_ other: RigEnd) -> Bool { place == other.place && ports == other.ports }
}
