// ExportedStruct.swift: finds the struct of a Swift module. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The struct of a Swift source without exported functions.
struct ExportedStruct: Equatable {
  /// The name of the struct.
  let name: String
  /// Whether the source itself declares the `Exported` alias.
  private let isNamed: Bool

  /// Finds the struct that conforms to `AudioModule`; nil if there is none or the source exports functions.
  init?(_ files: [SourceText]) {
    // `@c` marks exported functions.
    guard !files.contains(where: { Self.exports($0.tokens) }) else { return nil }
    for file in files {
      for index in file.tokens.indices.dropLast(3) where file.tokens[index] == "struct" {
        let head = file.tokens[(index + 2)...].prefix { $0 != "{" }
        guard head.first == ":", head.contains("AudioModule") else { continue }
        name = file.tokens[index + 1]
        isNamed = files.contains {
          Self.pairs($0.tokens).contains { $0 == "typealias" && $1 == "Exported" }
        }
        return
      }
    }
    return nil
  }

  private static func exports(_ tokens: [String]) -> Bool {
    pairs(tokens).contains { $0 == "@" && ($1 == "c" || $1 == "_cdecl") }
  }

  private static func pairs(_ tokens: [String]) -> Zip2Sequence<[String], ArraySlice<String>> {
    zip(tokens, tokens.dropFirst())
  }

  /// The source line that declares the alias for `Exports.swift`.
  var text: String { isNamed ? "" : "typealias Exported = \(name)\n" }
}
