// YAMLParser.swift: from YAML text to values with positions. SPDX-License-Identifier: MIT

/// Builds the value tree of one document from parsing events.
package struct YAMLParser {
  /// Values in one document: more than a manifest can need, few enough that a document whose
  /// aliases multiply is stopped early.
  static let valueLimit = 100_000
  /// Lists and mappings inside each other: more than a manifest can need, few enough for the stack of any thread.
  static let depthLimit = 64

  /// A node that has an anchor, with the text that it has as a key.
  private struct Anchored {
    var node: YAMLNode
    var key: String?
  }

  private let file: String
  private let events: YAMLEventReader
  private var anchors: [String: Anchored] = [:]
  /// The first key that is not a word, reported last: often the cause is a bracket that is not closed.
  private var malformedKey: SourcePosition?

  /// Returns the document's value, or nil if it contains only comments. [any]
  ///
  /// - Throws: `ManifestError` with one diagnostic if the text is not YAML.
  package static func parse(_ text: String, file: String) throws(ManifestError) -> YAMLNode? {
    var parser = YAMLParser(file: file, events: YAMLEventReader(text, file: file))
    guard let root = try parser.document() else { return nil }
    var valueCount = 0
    try parser.checkCount(root, &valueCount)
    return root.content == .nothing ? nil : root
  }

  private init(file: String, events: YAMLEventReader) {
    self.file = file
    self.events = events
  }

  // MARK: - Loading

  private mutating func document() throws(ManifestError) -> YAMLNode? {
    // Skips the start of the stream.
    _ = try events.next()
    guard case .other = try events.next().kind else { return nil }
    let root = try node(try events.next(), depth: 0)
    // The document's end.
    _ = try events.next()
    let end = try events.next()
    guard case .streamEnd = end.kind else {
      throw failure(YAMLSyntaxError(problem: "but found another document").message, end.position)
    }
    if let malformedKey {
      throw failure(
        "expected a key, found a list or mapping. Keys are words.", malformedKey)
    }
    return root
  }

  private mutating func node(_ event: YAMLEvent, depth: Int) throws(ManifestError) -> YAMLNode {
    guard depth <= Self.depthLimit else {
      throw failure(
        "lists and mappings are nested more than \(Self.depthLimit) levels deep.", event.position)
    }
    switch event.kind {
    case .alias(let name):
      guard let target = anchors[name] else {
        throw failure(YAMLSyntaxError(problem: "found undefined alias").message, event.position)
      }
      return target.node
    case .scalar(let text, let isPlain, let anchor):
      let isNothing = isPlain && ["", "~", "null"].contains(text)
      let node = YAMLNode(
        content: isNothing ? .nothing : .text(text, isQuoted: !isPlain), position: event.position)
      register(node, key: text, anchor)
      return node
    case .sequenceStart(let anchor):
      var items: [YAMLNode] = []
      var item = try events.next()
      while !item.isEnd {
        items.append(try node(item, depth: depth + 1))
        item = try events.next()
      }
      return registered(.list(items), event.position, anchor)
    case .mappingStart(let anchor):
      var entries: [YAMLNode.Entry] = []
      var key = try events.next()
      while !key.isEnd {
        entries.append(try entry(key, depth: depth + 1))
        key = try events.next()
      }
      return registered(.mapping(entries), event.position, anchor)
    case .end, .streamEnd, .other:
      return YAMLNode(content: .nothing, position: event.position)
    }
  }

  private mutating func entry(
    _ event: YAMLEvent, depth: Int
  ) throws(ManifestError) -> YAMLNode.Entry {
    let key = try node(event, depth: depth)
    let text: String? =
      switch event.kind {
      case .scalar(let text, _, _): text
      case .alias(let name): anchors[name]?.key
      default: nil
      }
    if text == nil, malformedKey == nil { malformedKey = key.position }
    return YAMLNode.Entry(
      key: text ?? "", keyPosition: key.position, value: try node(try events.next(), depth: depth))
  }

  // MARK: - Anchors

  private mutating func registered(
    _ content: YAMLNode.Content, _ position: SourcePosition, _ anchor: String?
  ) -> YAMLNode {
    let node = YAMLNode(content: content, position: position)
    register(node, key: nil, anchor)
    return node
  }

  private mutating func register(_ node: YAMLNode, key: String?, _ anchor: String?) {
    if let anchor { anchors[anchor] = Anchored(node: node, key: key) }
  }

  /// Counts values with aliases expanded, which share memory until then.
  private func checkCount(_ node: YAMLNode, _ count: inout Int) throws(ManifestError) {
    count += 1
    guard count <= Self.valueLimit else {
      throw ManifestError(
        file, fault: .tooManyValues(limit: Self.valueLimit), position: node.position)
    }
    switch node.content {
    case .nothing, .text: break
    case .list(let items): for item in items { try checkCount(item, &count) }
    case .mapping(let entries): for entry in entries { try checkCount(entry.value, &count) }
    }
  }

  private func failure(_ message: String, _ position: SourcePosition) -> ManifestError {
    ManifestError(file, fault: .syntax(message: message), position: position)
  }
}
