// Command+Library.swift: commands about plugins and files that can be used. SPDX-License-Identifier: MIT

extension Command {
  /// Lists plugins.
  package struct Plugins: Sendable, Equatable {
    /// What the plugins are for; nil for all plugins.
    package var query: String?
    /// The maximum number of plugins; nil for all.
    package var limit: Int?

    /// All plugins, or those for a purpose.
    package init(query: String? = nil, limit: Int? = nil) {
      (self.query, self.limit) = (query, limit)
    }

    /// The time of a search grows with its length.
    private static let longestQuery = 200

    init(_ reader: inout ObjectReader) throws(ProtocolError) {
      query = try reader.string("query")
      guard (query?.utf8.count ?? 0) <= Self.longestQuery else {
        throw .type(key: "query", expected: "a text of at most \(Self.longestQuery) bytes")
      }
      limit = try reader.count("limit").map { Int(clamping: $0) }
    }
  }

  /// Lists a directory.
  package struct Files: Sendable, Equatable {
    /// The absolute path; nil for the home directory of the user.
    package var directory: String?

    /// A directory by its path.
    package init(directory: String? = nil) { self.directory = directory }
  }
}

extension Command.Subscribe {
  /// How many times a second levels can be sent.
  package static let levelRange = 1 ... 30

  /// Reads `levels`; nil if it is missing.
  static func levels(_ reader: inout ObjectReader) throws(ProtocolError) -> Int? {
    guard let value = reader.take("levels") else { return nil }
    guard case .integer(let count) = value, levelRange ~= count else {
      throw .type(
        key: "levels",
        expected: "a whole number from \(levelRange.lowerBound) to \(levelRange.upperBound)")
    }
    return count
  }
}
