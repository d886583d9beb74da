// PeerRow.swift: the comparison of a plugin with other hosts, as a line of a table. SPDX-License-Identifier: MIT

/// A line of `Tests/Corpus/peers.tsv`.
struct PeerRow: Equatable {
  let identifier: String
  /// The Debian package that contains it.
  let package: String
  var sharedConfiguration: Similarity
  /// The most similar peer; empty if there is none.
  let peer: String
  /// The measurements, or the error messages; may be empty.
  var finding: String
  /// The reason, written by a person; a run does not change it.
  var reason = ""

  /// The table's lines, sorted; no two have the same identifier.
  static func table(_ rows: [PeerRow]) -> String {
    let lines = rows.sorted { ($0.package, $0.identifier) < ($1.package, $1.identifier) }.map {
      [$0.identifier, $0.package, $0.sharedConfiguration.rawValue, $0.peer, $0.finding, $0.reason]
        .joined(separator: "\t")
    }
    return ([heading] + lines).joined(separator: "\n") + "\n"
  }

  /// The rows of a table; throws the first line that is invalid.
  static func rows(of table: String) throws -> [PeerRow] {
    try table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 6, let sharedConfiguration = Similarity(rawValue: fields[2]) else {
        throw CorpusFault("This is no line of a table of peers: \(line)")
      }
      return PeerRow(
        identifier: fields[0], package: fields[1], sharedConfiguration: sharedConfiguration,
        peer: fields[3],
        finding: fields[4], reason: fields[5])
    }
  }

  /// The row with the reason that the table has for the same result.
  func explained(by known: PeerRow?) -> PeerRow {
    guard let known, known.sharedConfiguration == sharedConfiguration, known.peer == peer else {
      return self
    }
    var row = self
    row.reason = known.reason
    return row
  }

  private static let heading = "# plugin\tpackage\toutcome\tpeer\tfinding\treason"
}
