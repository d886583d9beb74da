// Guides.swift: the documentation pages that are installed with the program. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The pages that `outboard help TOPIC` prints: the Markdown files below `docs`.
package enum Guides {
  /// A page and its title.
  package struct Topic: Sendable, Equatable {
    /// The name on the command line.
    ///
    /// It is the path without the groups `guides` and `reference`, without `/index` and without the extension:
    /// `porting` is `guides/porting/index.md`, `internals/faults` is `internals/faults.md`.
    package let name: String
    /// The first heading of the page.
    package let title: String
    /// The group of the page: `guides`, `reference`, `internals`, or empty for a page outside of a group.
    package let group: String
    /// The path of the page below `docs`.
    let path: String
  }

  /// All pages, sorted by name; empty if they are not installed. [any]
  package static let topics: [Topic] = {
    guard let directory = InstallPaths.guides else { return [] }
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
    return paths.filter { $0.hasSuffix(fileExtension) }.map { path in
      let heading = read(path)?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("# ") }
      return Topic(
        name: name(of: path), title: String(heading?.dropFirst(2) ?? ""), group: group(of: path),
        path: path)
    }.sorted { $0.name < $1.name }
  }()

  /// Returns the text of the page with a name from `topics` as Markdown; nil if there is no such page. [any]
  ///
  /// Lines that are HTML comments are omitted. They are marks for the test of the documentation.
  package static func text(of topic: String) -> String? {
    topics.first { $0.name == topic }.flatMap { read($0.path) }.map { page in
      page.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.hasPrefix("<!--") }.joined(separator: "\n")
    }
  }

  /// Returns the topic that a word of the command line names, for example `porting`, `porting.md` or
  /// `docs/guides/porting/index.md`. [any]
  package static func topic(named word: String) -> String {
    name(of: word.hasPrefix("docs/") ? String(word.dropFirst("docs/".count)) : word)
  }

  /// Returns the names of the pages for users that contain a word, the page with most of it first. [any]
  package static func names(containing word: String) -> [String] {
    let counts = topics.filter { $0.group != "internals" }.map { topic in
      (topic.name, (text(of: topic.name) ?? "").lowercased().ranges(of: word.lowercased()).count)
    }
    return counts.filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.0)
  }

  private static let fileExtension = ".md"
  /// Groups whose name is not part of the topic's name.
  ///
  /// Pages of `internals` keep it, because a guide may have the same file name.
  private static let hiddenGroups = ["guides", "reference"]

  private static func group(of path: String) -> String {
    path.split(separator: "/").dropLast().first.map(String.init) ?? ""
  }

  private static func name(of path: String) -> String {
    var name = Substring(path)
    if name.hasSuffix(fileExtension) { name = name.dropLast(fileExtension.count) }
    let group = group(of: path)
    if hiddenGroups.contains(group) { name = name.dropFirst(group.count + 1) }
    return String(name.hasSuffix("/index") ? name.dropLast("/index".count) : name)
  }

  private static func read(_ path: String) -> String? {
    InstallPaths.guides.flatMap {
      try? String(contentsOfFile: "\($0)/\(path)", encoding: .utf8)
    }
  }
}
