// YAMLParser.swift: from text to values with places, through Yams. SPDX-License-Identifier: MIT

import Yams

/// Reads YAML; the only code that knows the library which does it.
struct YAMLParser {
  /// Values in one document: more than a manifest can need, few enough that a document whose
  /// aliases multiply is stopped early.
  static let valueLimit = 100_000

  private let file: String
  private var text: String
  /// Letters that stand behind a marked key, by their marks.
  private var markedLetters: [Unicode.Scalar: Unicode.Scalar] = [:]
  private var valueCount = 0

  /// The document's value; nil if it holds nothing but comments. [any]
  /// - Throws: `ManifestError` with one finding where it is not YAML.
  static func parse(_ text: String, file: String) throws(ManifestError) -> YAMLNode? {
    var parser = YAMLParser(file: file, text: text)
    guard let root = try parser.composed() else { return nil }
    let node = try parser.converted(root)
    return node.content == .nothing ? nil : node
  }

  private init(file: String, text: String) {
    self.file = file
    self.text = text
  }

  // MARK: - Composing

  /// Yams' tree of the text, repeated keys included.
  ///
  /// Yams refuses a mapping with a repeated key and tells only where the first one stands. To
  /// report each of them, and what else is wrong, the key is marked with a letter that no manifest
  /// uses, in place of its first, and the text is read again; `converted` takes the marks off.
  private mutating func composed() throws(ManifestError) -> Yams.Node? {
    while true {
      do {
        return try Yams.compose(yaml: text, .default, .default, .utf8)
      } catch let YamlError.duplicatedKeysInMapping(duplicates, context) {
        let key = duplicates.min() ?? ""
        guard markKey(at: context.mark) else {
          throw failure(
            "the key \"\(key)\" is given twice; one of the two has to go.", context.mark)
        }
      } catch {
        throw plainWords(for: error)
      }
    }
  }

  private mutating func markKey(at mark: Mark) -> Bool {
    let markBase: UInt32 = 0xE000
    let markCount = 100
    guard markedLetters.count < markCount,
      let letter = Unicode.Scalar(markBase + UInt32(markedLetters.count)),
      var index = scalarIndex(of: mark)
    else { return false }
    if text.unicodeScalars[index] == "\"" || text.unicodeScalars[index] == "'" {
      index = text.unicodeScalars.index(after: index)
    }
    guard index < text.unicodeScalars.endIndex else { return false }
    let marked = text.unicodeScalars[index]
    guard marked.properties.isAlphabetic || marked.properties.numericType != nil,
      markedLetters[marked] == nil
    else { return false }
    markedLetters[letter] = marked
    let next = text.unicodeScalars.index(after: index)
    text.unicodeScalars.replaceSubrange(index ..< next, with: CollectionOfOne(letter))
    return true
  }

  /// Where a mark points in the text.
  private func scalarIndex(of mark: Mark) -> String.Index? {
    var line = 1
    var column = 1
    for index in text.unicodeScalars.indices {
      if line == mark.line, column == mark.column { return index }
      if text.unicodeScalars[index] == "\n" {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
    return nil
  }

  // MARK: - Converting

  private mutating func converted(_ node: Yams.Node) throws(ManifestError) -> YAMLNode {
    valueCount += 1
    let position = position(of: node)
    guard valueCount <= Self.valueLimit else {
      throw ManifestError(
        file, fault: .tooManyValues(limit: Self.valueLimit), position: position)
    }
    switch node {
    case .scalar(let scalar):
      return YAMLNode(content: content(of: scalar), position: position)
    case .sequence(let sequence):
      var items: [YAMLNode] = []
      for item in sequence { items.append(try converted(item)) }
      return YAMLNode(content: .list(items), position: position)
    case .mapping(let mapping):
      var entries: [YAMLNode.Entry] = []
      for (key, value) in mapping { entries.append(try entry(key, value)) }
      return YAMLNode(content: .mapping(entries), position: position)
    case .alias:
      // The parser resolves aliases itself; this form serves writers only.
      return YAMLNode(content: .nothing, position: position)
    }
  }

  private func position(of node: Yams.Node) -> SourcePosition {
    node.mark.map(SourcePosition.init) ?? SourcePosition(line: 1, column: 1)
  }

  private func content(of scalar: Yams.Node.Scalar) -> YAMLNode.Content {
    let isPlain = scalar.style == .plain || scalar.style == .any
    if isPlain, ["", "~", "null"].contains(scalar.string) { return .nothing }
    return .text(scalar.string, isQuoted: !isPlain)
  }

  private mutating func entry(
    _ key: Yams.Node, _ value: Yams.Node
  ) throws(ManifestError) -> YAMLNode.Entry {
    guard let scalar = key.scalar else {
      throw failure("a list or mapping stands where a key is expected; keys are words.", key.mark)
    }
    var scalars = scalar.string.unicodeScalars
    if let first = scalars.first, let letter = markedLetters[first] {
      scalars.replaceSubrange(
        scalars.startIndex ..< scalars.index(after: scalars.startIndex),
        with: CollectionOfOne(letter))
    }
    return YAMLNode.Entry(
      key: String(scalars),
      keyPosition: position(of: key),
      value: try converted(value))
  }

  // MARK: - Words

  private func failure(_ sentence: String, _ mark: Mark?) -> ManifestError {
    failure(sentence, at: mark.map(SourcePosition.init))
  }

  private func failure(_ sentence: String, at position: SourcePosition?) -> ManifestError {
    ManifestError(file, fault: .syntax(sentence: sentence), position: position)
  }

  private func plainWords(for error: any Error) -> ManifestError {
    guard let error = error as? YamlError else { return failure("\(error).", nil) }
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let letter = scalarIndex(of: mark).map { text.unicodeScalars[$0] }
      let complaint = YAMLComplaint(
        problem: problem, context: context?.text ?? "", contextLine: context?.mark.line,
        letter: letter)
      return failure(complaint.sentence, complaint.isAtContext ? context?.mark ?? mark : mark)
    case .reader(_, let offset, let value, _):
      let code = value < 0 ? "" : " U+\(String(value, radix: 16, uppercase: true).leftPadded)"
      return failure(
        "the control character\(code) cannot stand in YAML; take it out.",
        at: offset.map(position(ofByte:)))
    default:
      return failure("the file cannot be read as YAML: \(error).", nil)
    }
  }

  private func position(ofByte offset: Int) -> SourcePosition {
    let before = text.utf8.prefix(offset)
    let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let column = String(decoding: lines.last ?? before, as: UTF8.self).unicodeScalars.count + 1
    return SourcePosition(line: lines.count, column: column)
  }
}

extension SourcePosition {
  fileprivate init(_ mark: Mark) {
    self.init(line: mark.line, column: mark.column)
  }
}

extension String {
  /// Four digits at least, as code points are written.
  fileprivate var leftPadded: String {
    String(repeating: "0", count: Swift.max(0, 4 - count)) + self
  }
}
