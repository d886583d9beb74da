// Corpus.swift: the packages, tested one after the other. SPDX-License-Identifier: MIT

import Foundation

/// The packages to run, and the table of earlier results.
struct Corpus {
  /// The number of the same 677 plugins that other hosts run without a fault, on Debian 12.
  private static let peers = [
    ("lv2bench 0.24.14", 590), ("lv2apply 0.24.14", 446),
    ("a probe that offers every feature, one process for each plugin", 666),
  ]
  private static let peerPluginCount = 677
  private static let nothingRun: Int32 = 77
  /// The number of rounds for the table, which has the worst result.
  private static let updateRounds = 3

  private let directory: URL
  private let all: [Package]
  private let chosen: [Package]
  private let table: [Row]
  private let known: [String: Row]

  /// Reads both files of a directory; an empty list means all packages.
  init(directory: String, packages: [String]) throws {
    self.directory = URL(filePath: directory)
    all = Package.packages(
      of: try String(contentsOf: self.directory.appending(path: "packages.tsv"), encoding: .utf8))
    let names = Set(all.map(\.name))
    if let stranger = packages.first(where: { !names.contains($0) }) {
      throw CorpusFault("The package \(stranger) is not in packages.tsv.")
    }
    chosen = packages.isEmpty ? all : all.filter { packages.contains($0.name) }
    let path = self.directory.appending(path: "plugins.tsv")
    table = try (try? String(contentsOf: path, encoding: .utf8)).map(Row.rows) ?? []
    known = Dictionary(table.map { ($0.identifier, $0) }) { first, _ in first }
  }

  /// Runs every installed package; returns the exit status.
  func run(program: String, isUpdate: Bool) throws -> Int32 {
    let installed = InstalledPackages(chosen.map(\.name))
    let there = chosen.filter { installed.versions[$0.name] != nil }
    let cache = FileManager.default.temporaryDirectory
      .appending(path: "outboard-corpus-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: cache) }
    let host = Host(
      program, directories: installed.directories, cache: cache.path(percentEncoded: false))
    var found = try check(there, installed, host, again: !isUpdate)
    if isUpdate {
      for _ in 1 ..< Self.updateRounds {
        found = Row.worst(found, try check(there, installed, host, again: false))
      }
      try update(found, there, installed)
    }
    let others = there.filter { $0.version != installed.versions[$0.name] }
    let comparison = Comparison(
      found, with: table, of: Set(there.map(\.name)), excusing: Set(others.map(\.name)))
    tell(found, comparison, installed, others)
    guard !isUpdate else { return 0 }
    guard others.count < there.count else {
      print("no package of the corpus is installed in the version of the table")
      return Self.nothingRun
    }
    return comparison.lost.isEmpty ? 0 : 1
  }

  private func check(
    _ packages: [Package], _ installed: InstalledPackages, _ host: Host, again: Bool
  ) throws -> [Row] {
    guard !packages.isEmpty else { return [] }
    let plugins = try host.plugins(of: installed)
    var rows: [Row] = []
    for package in packages {
      let identifiers = (plugins[package.name] ?? []).map(\.id)
      var found = identifiers.isEmpty ? [] : try host.check(identifiers, of: package.name)
      if again { try checkAgain(&found, host) }
      print("\(package.name): \(Self.counts(found))")
      // Shows progress at once, also through a pipe.
      fflush(nil)
      rows += found
    }
    return rows
  }

  /// Tests plugins again whose result is worse than in the table, and reports that.
  ///
  /// The result may depend on the order of a plugin's threads, and the bad order rarely occurs twice.
  private func checkAgain(_ rows: inout [Row], _ host: Host) throws {
    for index in rows.indices {
      let row = rows[index]
      guard let expected = known[row.identifier], expected.outcome < row.outcome else { continue }
      guard let other = try host.check([row.identifier], of: row.package).first else { continue }
      if other.outcome < row.outcome {
        print("wavers: \(row.identifier): \(row.outcome) (\(row.reason)), then \(other.outcome)")
        rows[index] = other
      }
    }
  }

  // MARK: - Telling

  private func tell(
    _ found: [Row], _ comparison: Comparison, _ installed: InstalledPackages, _ others: [Package]
  ) {
    print("")
    for package in chosen where installed.versions[package.name] == nil {
      let count = table.count { $0.package == package.name }
      print("not run: \(count) plugins of \(package.name), which is not installed")
    }
    for package in others {
      print(
        "not compared: \(package.name) has version \(installed.versions[package.name] ?? "?") here,"
          + " and the table is of \(package.version)")
    }
    for line in comparison.lines { print(line) }
    print("\(Self.counts(found)); \(comparison.sameCount) as the table says")
    guard found.count == Self.peerPluginCount else { return }
    let peers = Self.peers.map { "\($0.1) by \($0.0)" }.joined(separator: ", ")
    print("Of the same \(Self.peerPluginCount) others run without a fault: \(peers).")
  }

  /// `12 plugins: 10 hosted, 2 refused`.
  private static func counts(_ rows: [Row]) -> String {
    let words = Outcome.allCases.compactMap { outcome in
      let count = rows.count { $0.outcome == outcome }
      return count > 0 ? "\(count) \(outcome)" : nil
    }
    return "\(rows.count) plugins" + (words.isEmpty ? "" : ": " + words.joined(separator: ", "))
  }

  // MARK: - Updating

  /// Writes the results; others remain unchanged.
  private func update(
    _ found: [Row], _ packages: [Package], _ installed: InstalledPackages
  ) throws {
    let run = Set(packages.map(\.name))
    let rows = table.filter { !run.contains($0.package) } + found
    let versions = all.map { package in
      Package(
        name: package.name,
        version: run.contains(package.name)
          ? installed.versions[package.name] ?? package.version : package.version)
    }
    for (name, text) in [
      ("plugins.tsv", Row.table(rows)), ("packages.tsv", Package.table(versions)),
    ] {
      try text.write(to: directory.appending(path: name), atomically: true, encoding: .utf8)
    }
  }
}
