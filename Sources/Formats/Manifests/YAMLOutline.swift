// YAMLOutline.swift: the lines of keys and list items. SPDX-License-Identifier: MIT

/// The positions of the keys and list items of a document.
struct YAMLOutline {
  /// The line of each path, from 1.
  private(set) var lines: [String: Int] = [:]
  /// The path that begins first in each line.
  private(set) var firstPaths: [Int: String] = [:]
  /// The paths of keys with one value, without a list or mapping.
  private(set) var values: Set<String> = []

  init(_ root: YAMLNode) { add(root, "") }

  /// Returns the line for a comment of this path: its own, or that of the mapping that had it; nil
  /// if there is neither.
  func line(of path: String, isValue: Bool) -> Int? {
    if let line = lines[path] { return line }
    let parts = path.split(separator: "\n", omittingEmptySubsequences: false)
    let parent = parts.dropLast().joined(separator: "\n")
    if let item = parts.last, item.hasPrefix(Self.item) {
      // A chain of several connections is written as one line each.
      let chain = Self.separated(item)
      let near = lines.filter { entry in
        let keyLines = entry.key.split(separator: "\n", omittingEmptySubsequences: false)
        return keyLines.dropLast().joined(separator: "\n") == parent
          && keyLines.last.map { chain.starts(with: Self.separated($0)) } == true
      }
      return near.values.min()
    }
    return isValue ? lines[parent] : nil
  }

  /// The mark of a list item in a path; no key begins with it.
  private static let item = "\u{1}"

  private static func separated(_ text: Substring) -> [Substring] {
    text.split(whereSeparator: \.isWhitespace)
  }

  private mutating func add(_ node: YAMLNode, _ path: String) {
    switch node.content {
    case .nothing, .text: values.insert(path)
    case .mapping(let entries):
      for entry in entries {
        let inner = path + "\n" + entry.key.filter { $0 != "\n" }
        note(inner, entry.keyPosition.line)
        add(entry.value, inner)
      }
    case .list(let items):
      for (index, entry) in items.enumerated() {
        let inner = path + "\n" + Self.item + Self.name(of: entry, index)
        note(inner, entry.position.line)
        add(entry, inner)
      }
    }
  }

  private mutating func note(_ path: String, _ line: Int) {
    if lines[path] == nil { lines[path] = line }
    if firstPaths[line] == nil { firstPaths[line] = path }
  }

  /// Returns the content of an item, by which it is found again; its number if it has none.
  private static func name(of item: YAMLNode, _ index: Int) -> String {
    switch item.content {
    case .text(let text, _): return text.filter { $0 != "\n" }
    case .mapping(let entries):
      let ends = ["from", "to"].compactMap { key -> String? in
        guard let entry = entries.first(where: { $0.key == key }),
          case .text(let text, _) = entry.value.content
        else { return nil }
        return text
      }
      return ends.count == 2 ? ends.joined(separator: " -> ") : "\(index)"
    default: return "\(index)"
    }
  }
}

extension YAMLNode {
  /// Whether two values are equal apart from their positions.
  func hasSameValues(as other: YAMLNode) -> Bool {
    switch (content, other.content) {
    case (.nothing, .nothing): true
    case (.text(let one, let isQuoted), .text(let two, let isOtherQuoted)):
      one == two && isQuoted == isOtherQuoted
    case (.list(let one), .list(let two)):
      one.count == two.count && zip(one, two).allSatisfy { $0.hasSameValues(as: $1) }
    case (.mapping(let one), .mapping(let two)):
      one.count == two.count
        && zip(one, two).allSatisfy { $0.key == $1.key && $0.value.hasSameValues(as: $1.value) }
    default: false
    }
  }
}
