// ExportedStruct.swift: the struct that a Swift module consists of. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// What stands in a Swift source in the place of the contract's functions.
struct ExportedStruct: Equatable {
  /// The struct.
  let name: String
  /// Whether the source tells `Exports.swift` itself which struct it is.
  private let isNamed: Bool

  /// The struct that is an `AudioModule`, where nothing is exported otherwise; nil if there is none.
  init?(_ files: [SourceText]) {
    // `@c` marks what exports itself.
    guard !files.contains(where: { Self.exports($0.tokens) }) else { return nil }
    for file in files {
      for place in file.tokens.indices.dropLast(3) where file.tokens[place] == "struct" {
        let head = file.tokens[(place + 2)...].prefix { $0 != "{" }
        guard head.first == ":", head.contains("AudioModule") else { continue }
        name = file.tokens[place + 1]
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

  /// What tells the kit's `Exports.swift` which struct it is.
  var text: String { isNamed ? "" : "typealias Exported = \(name)\n" }
}
