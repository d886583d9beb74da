// Guides.swift: the guides that are installed with the program. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The guides of `outboard help TOPIC`: the files of `docs`, named without their extension.
package enum Guides {
  /// A guide and its title.
  package struct Topic: Sendable, Equatable {
    /// The name.
    package let name: String
    /// The first heading.
    package let title: String
  }

  /// Returns all guides by name; empty if they are not installed. [any]
  package static let topics: [Topic] = {
    guard let folder = InstallPaths.guides else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      guard name.hasSuffix(ending) else { return nil }
      let topic = String(name.dropLast(ending.count))
      let heading = text(of: topic)?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("# ") }
      return Topic(name: topic, title: String(heading?.dropFirst(2) ?? ""))
    }
  }()

  /// Returns the text of a guide as Markdown; nil if there is no such guide. [any]
  package static func text(of topic: String) -> String? {
    guard let folder = InstallPaths.guides, !topic.contains("/"), !topic.hasPrefix(".") else {
      return nil
    }
    return try? String(contentsOfFile: "\(folder)/\(topic)\(ending)", encoding: .utf8)
  }

  /// Returns the topic of a command line word: `porting`, `porting.md` or `docs/porting.md`. [any]
  package static func topic(named word: String) -> String {
    var topic = Substring(word)
    if topic.hasPrefix("docs/") { topic = topic.dropFirst("docs/".count) }
    return String(topic.hasSuffix(ending) ? topic.dropLast(ending.count) : topic)
  }

  private static let ending = ".md"
}
