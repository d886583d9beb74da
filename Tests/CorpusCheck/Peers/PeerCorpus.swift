// PeerCorpus.swift: compares every plugin with audio input and output with other hosts. SPDX-License-Identifier: MIT

import Foundation

/// Compares renderings by Outboard with those by other hosts, plugin by plugin.
struct PeerCorpus {
  private let table: URL
  private let known: [String: PeerRow]
  private let all: [PeerRow]
  private let packages: [String]

  /// Reads the table of a directory; an empty list means all packages.
  init(directory: String, packages: [String]) throws {
    let directory = URL(filePath: directory)
    let names = Package.packages(
      of: try String(contentsOf: directory.appending(path: "packages.tsv"), encoding: .utf8)
    ).map(\.name)
    if let stranger = packages.first(where: { !names.contains($0) }) {
      throw CorpusFault("The package \(stranger) is not in packages.tsv.")
    }
    self.packages = packages.isEmpty ? names : packages
    table = directory.appending(path: "peers.tsv")
    all = try (try? String(contentsOf: table, encoding: .utf8)).map(PeerRow.rows) ?? []
    known = Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }
  }

  /// Renders everything.
  ///
  /// Returns the exit status, which is 1 if a plugin is less similar than in the table.
  func run(program: String, isUpdate: Bool) throws -> Int32 {
    let peers = Peer.allCases.filter(\.isThere)
    for peer in Peer.allCases where !peers.contains(peer) {
      print("without \(peer), of the package \(peer.package)")
    }
    let installed = InstalledPackages(packages)
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "outboard-peers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let host = Host(
      program, directories: installed.directories,
      cache: directory.appending(path: "cache").path(percentEncoded: false))
    let pair = PeerPair(
      Rendering(program, directory: directory, environment: host.environment), peers: peers)
    let plugins = try host.plugins(of: installed)
    var found: [PeerRow] = []
    for package in packages {
      for plugin in plugins[package] ?? [] where plugin.hasAudioInAndOut {
        let row = try pair.compare(plugin, package).explained(by: known[plugin.id])
        if !row.sharedConfiguration.isSame || row.peer != Peer.lv2apply.rawValue {
          print(words(row))
        }
        found.append(row)
        // Shows progress at once, also through a pipe.
        fflush(nil)
      }
    }
    return try tell(found, isUpdate: isUpdate)
  }

  private func words(_ row: PeerRow) -> String {
    [row.identifier, row.sharedConfiguration.rawValue, row.peer, row.finding, row.reason]
      .filter { !$0.isEmpty }.joined(separator: "; ")
  }

  private func tell(_ found: [PeerRow], isUpdate: Bool) throws -> Int32 {
    print("")
    if isUpdate {
      let run = Set(packages)
      let text = PeerRow.table(all.filter { !run.contains($0.package) } + found)
      try text.write(to: table, atomically: true, encoding: .utf8)
    }
    let lost = isUpdate ? [] : Self.lost(found, known)
    // scripts/test searches for this word.
    for row in lost {
      print(
        "FAILED  \(words(row)); was \(known[row.identifier]?.sharedConfiguration.rawValue ?? "unknown")"
      )
    }
    let counts = Similarity.allCases.map { sharedConfiguration in
      "\(found.count { $0.sharedConfiguration == sharedConfiguration }) \(sharedConfiguration.rawValue)"
    }
    print("\(found.count) plugins with audio in and out: \(counts.joined(separator: ", "))")
    return lost.isEmpty ? 0 : 1
  }

  /// Rows that are less similar to a peer than in the table.
  static func lost(_ found: [PeerRow], _ known: [String: PeerRow]) -> [PeerRow] {
    found.filter { row in
      known[row.identifier].map { $0.sharedConfiguration < row.sharedConfiguration } ?? false
    }
  }
}
