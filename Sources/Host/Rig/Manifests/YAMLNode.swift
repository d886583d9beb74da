// YAMLNode.swift: a manifest's values as they were written. SPDX-License-Identifier: MIT

/// A value of a YAML document, with its place and without an opinion on what it means.
///
/// Scalars stay text: whether `on`, `1e3` or `010` is a word, a number or a switch is decided by
/// the key that takes it, not by YAML's own guesses, which differ between its versions.
struct YAMLNode: Equatable {
  /// A key and its value.
  struct Entry: Equatable {
    var key: String
    var keyPosition: SourcePosition
    var value: YAMLNode
  }

  /// What sort of value it is.
  enum Content: Equatable {
    case nothing
    case text(String, isQuoted: Bool)
    case list([YAMLNode])
    case mapping([Entry])
  }

  var content: Content
  var position: SourcePosition

  /// What a person would call it.
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
  /// Its first words where it is long, on one line; `nothing` where it is empty.
  var shortened: String {
    if isEmpty { return "nothing" }
    let line = String(prefix { !$0.isNewline })
    let limit = 60
    guard line.count > limit || line.count < count else { return line }
    return String(line.prefix(limit)) + "…"
  }
}
