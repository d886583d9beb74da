// YAMLNode.swift: a manifest's values as they were written. SPDX-License-Identifier: MIT

/// A value of a YAML document with its position, without interpretation.
///
/// Scalars stay text: the key decides whether `on`, `1e3` or `010` is a word, a number or a switch, because
/// YAML versions differ in that.
struct YAMLNode: Equatable {
  /// A key and its value.
  struct Entry: Equatable {
    var key: String
    var keyPosition: SourcePosition
    var value: YAMLNode
  }

  /// The content of a value.
  enum Content: Equatable {
    case nothing
    case text(String, isQuoted: Bool)
    case list([YAMLNode])
    case mapping([Entry])
  }

  var content: Content
  var position: SourcePosition

  /// The kind of value, for messages.
  var kind: String {
    switch content {
    case .nothing: "nothing"
    case .text(let text, _): "\"\(text.shortened)\""
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}

extension String {
  /// Its text on one line, shortened if it is long; `nothing` if it is empty.
  var shortened: String {
    if isEmpty { return "nothing" }
    let line = String(prefix { !$0.isNewline })
    let limit = 60
    guard line.count > limit || line.count < count else { return line }
    return String(line.prefix(limit)) + "…"
  }
}
