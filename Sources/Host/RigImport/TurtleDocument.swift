// TurtleDocument.swift: the statements of a Turtle file, read by serd. SPDX-License-Identifier: MIT

import CSerd
import Manifests

/// The statements of a Turtle file by subject.
///
/// URIs are absolute. Those relative to the file begin with `base`.
@safe final class TurtleDocument {
  /// The URI of the directory.
  static let base = "file:///project/"

  /// An object of a statement.
  struct Object: Hashable {
    /// A URI, the name of a blank node, or a text.
    let text: String
    /// Whether the object is a text or a number.
    let isLiteral: Bool

    /// The number of a literal; 1 and 0 for a boolean.
    var number: Double? {
      guard isLiteral else { return nil }
      return text == "true" ? 1 : text == "false" ? 0 : Double(text)
    }
  }

  /// The subjects in the order of the file.
  private(set) var subjects: [String] = []
  private var statements: [String: [(predicate: String, object: Object)]] = [:]
  private let environment: OpaquePointer
  private static let depthLimit = 64

  /// Parses a file.
  ///
  /// - Throws: `ImportError.syntax`.
  init(_ source: ProjectSource) throws(ImportError) {
    unsafe environment = unsafe serd_env_new(nil)
    guard Self.depth(of: source.text) <= Self.depthLimit else {
      throw .syntax(
        path: source.path, line: 1, syntax: "Turtle",
        problem: "it is nested more than \(Self.depthLimit) levels deep")
    }
    // The name of the file may contain what a URI cannot.
    unsafe (Self.base + "file.ttl").withCString { text in
      var node = unsafe serd_node_from_string(
        SERD_URI, UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self))
      _ = unsafe serd_env_set_base_uri(environment, &node)
    }
    try parse(source)
  }

  deinit { unsafe serd_env_free(environment) }

  /// Returns the objects of a subject and predicate, in the order of the file.
  func objects(_ subject: String, _ predicate: String) -> [Object] {
    (statements[subject] ?? []).filter { $0.predicate == predicate }.map(\.object)
  }

  /// Returns the first object of a subject and predicate.
  func object(_ subject: String, _ predicate: String) -> Object? {
    objects(subject, predicate).first
  }

  /// Whether a subject has a type.
  func isA(_ subject: String, _ type: String) -> Bool {
    objects(subject, Self.type).contains { $0.text == type }
  }

  /// Returns the URI without `base`.
  static func local(_ uri: String) -> String {
    uri.hasPrefix(base) ? String(uri.dropFirst(base.count)) : uri
  }

  private static let type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

  // MARK: - Parsing

  private func parse(_ source: ProjectSource) throws(ImportError) {
    let reader = unsafe serd_reader_new(
      SERD_TURTLE, Unmanaged.passUnretained(self).toOpaque(), nil,
      { handle, uri in
        guard let document = unsafe TurtleDocument.of(handle) else { return SERD_FAILURE }
        return unsafe serd_env_set_base_uri(document.environment, uri)
      },
      { handle, name, uri in
        guard let document = unsafe TurtleDocument.of(handle) else { return SERD_FAILURE }
        return unsafe serd_env_set_prefix(document.environment, name, uri)
      },
      { handle, _, _, subject, predicate, object, _, _ in
        guard let document = unsafe TurtleDocument.of(handle) else { return SERD_FAILURE }
        unsafe document.add(subject.pointee, predicate.pointee, object.pointee)
        return SERD_SUCCESS
      }, nil)
    guard let reader = unsafe reader else { return }
    defer { unsafe serd_reader_free(reader) }
    unsafe serd_reader_set_error_sink(
      reader,
      { handle, error in
        guard let document = unsafe TurtleDocument.of(handle) else { return SERD_SUCCESS }
        document.failedLine = unsafe document.failedLine ?? Int(error.pointee.line)
        return SERD_SUCCESS
      }, Unmanaged.passUnretained(self).toOpaque())
    let status = unsafe source.text.withCString { text in
      unsafe serd_reader_read_string(
        reader, UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self))
    }
    guard status.rawValue <= SERD_FAILURE.rawValue, failedLine == nil else {
      throw .syntax(
        path: source.path, line: failedLine ?? 1, syntax: "Turtle",
        problem: "a statement is incomplete")
    }
  }

  private var failedLine: Int?

  private static func of(_ handle: UnsafeMutableRawPointer?) -> TurtleDocument? {
    unsafe handle.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  private func add(_ subject: SerdNode, _ predicate: SerdNode, _ object: SerdNode) {
    let subject = unsafe expanded(subject)
    if statements[subject] == nil { subjects.append(subject) }
    let value = unsafe Object(text: expanded(object), isLiteral: object.type == SERD_LITERAL)
    unsafe statements[subject, default: []].append((expanded(predicate), value))
  }

  private func expanded(_ node: SerdNode) -> String {
    var node = unsafe node
    guard unsafe node.type == SERD_URI || node.type == SERD_CURIE else {
      return unsafe Self.text(node)
    }
    var whole = unsafe serd_env_expand_node(environment, &node)
    defer { unsafe serd_node_free(&whole) }
    return unsafe whole.buf == nil ? Self.text(node) : Self.text(whole)
  }

  private static func text(_ node: SerdNode) -> String {
    guard let start = unsafe node.buf else { return "" }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: node.n_bytes), as: UTF8.self)
  }

  /// Returns how deep brackets are nested, outside of texts, URIs and comments: serd uses the stack for them.
  private static func depth(of text: String) -> Int {
    var (depth, deepest) = (0, 0)
    var end: UInt8?
    var isEscaped = false
    for byte in text.utf8 {
      if let last = end {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == last {
          end = nil
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): end = byte
      case UInt8(ascii: "<"): end = UInt8(ascii: ">")
      case UInt8(ascii: "#"): end = UInt8(ascii: "\n")
      case UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: ")"): depth -= 1
      default: break
      }
      deepest = max(deepest, depth)
    }
    return deepest
  }
}
