// YAMLNode.swift: a manifest's values as they were written. SPDX-License-Identifier: MIT

/// A value of a YAML document with its position, without interpretation.
///
/// Scalars stay text: the key decides whether `on`, `1e3` or `010` is a word, a number or a switch, because
/// YAML versions differ in that.
package struct YAMLNode: Equatable {
  /// A key and its value.
  package struct Entry: Equatable {
    /// The key.
    package var key: String
    /// The position of the key.
    package var keyPosition: SourcePosition
    /// The value.
    package var value: YAMLNode
  }

  /// The content of a value.
  package enum Content: Equatable {
    /// No value.
    case nothing
    /// A scalar, and whether it is in quotes.
    case text(String, isQuoted: Bool)
    /// A list.
    case list([YAMLNode])
    /// A mapping, in the order of the file.
    case mapping([Entry])
  }

  /// The scalar, list or mapping.
  package var content: Content
  /// The position at which the node starts.
  package var position: SourcePosition

  /// The kind of value, for messages.
  package var kind: String {
    switch content {
    case .nothing: "nothing"
    case .text(let text, _): "\"\(text.shortened)\""
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}

extension String {
  /// The text on one line, shortened if it is long; `nothing` if it is empty.
  package var shortened: String {
    if isEmpty { return "nothing" }
    let line = String(prefix { !$0.isNewline })
    let limit = 60
    guard line.count > limit || line.count < count else { return line }
    return String(line.prefix(limit)) + "…"
  }
}
