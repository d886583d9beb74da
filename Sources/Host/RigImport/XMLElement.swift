// XMLElement.swift: an XML document as a tree, read by expat. SPDX-License-Identifier: MIT

import CExpat
import Manifests

/// An element of an XML document.
final class XMLElement {
  let name: String
  let attributes: [String: String]
  /// The line, from 1.
  let line: Int
  /// The text directly in it.
  fileprivate(set) var text = ""
  fileprivate(set) var children: [XMLElement] = []

  fileprivate init(name: String, attributes: [String: String], line: Int) {
    (self.name, self.attributes, self.line) = (name, attributes, line)
  }

  /// Returns the children with a name.
  func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Returns the first child with a name.
  func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the text of the first child with a name, without blanks around it.
  func text(of name: String) -> String? { child(name)?.text.trimmed }

  /// Parses a document and returns its root.
  ///
  /// Entities cannot be declared, so that no text expands.
  /// - Throws: `ImportError.syntax`.
  static func parse(_ source: ProjectSource) throws(ImportError) -> XMLElement {
    guard let parser = unsafe XML_ParserCreate("UTF-8") else {
      throw .syntax(path: source.path, line: 1, syntax: "XML", problem: "out of memory")
    }
    defer { unsafe XML_ParserFree(parser) }
    let builder = unsafe XMLTreeBuilder(parser)
    let status = withExtendedLifetime(builder) {
      builder.install()
      var text = source.text
      return text.withUTF8 { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) {
          unsafe XML_Parse(parser, $0.baseAddress, Int32($0.count), 1)
        }
      }
    }
    if status == XML_STATUS_OK, let root = builder.root { return root }
    let reason = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
    throw unsafe .syntax(
      path: source.path, line: Int(XML_GetCurrentLineNumber(parser)), syntax: "XML",
      problem: builder.problem ?? reason ?? "it is empty")
  }
}

/// Builds the tree from the events of a parser.
@safe private final class XMLTreeBuilder {
  /// Deeper than any project.
  private static let depthLimit = 64

  private let parser: XML_Parser
  private var open: [XMLElement] = []
  private(set) var root: XMLElement?
  private(set) var problem: String?

  init(_ parser: XML_Parser) { unsafe self.parser = parser }

  func install() {
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { data, name, attributes in unsafe XMLTreeBuilder.of(data)?.begin(name, attributes) },
      { data, _ in unsafe XMLTreeBuilder.of(data)?.end() })
    unsafe XML_SetCharacterDataHandler(parser) { data, text, count in
      unsafe XMLTreeBuilder.of(data)?.add(text, Int(count))
    }
    unsafe XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
      unsafe XMLTreeBuilder.of(data)?.stop("it declares entities")
    }
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> XMLTreeBuilder? {
    unsafe data.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  private func begin(
    _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let name = unsafe name else { return }
    guard open.count < Self.depthLimit else {
      return stop("it is nested more than \(Self.depthLimit) levels deep")
    }
    var attributes: [String: String] = [:]
    var position = 0
    while let list = unsafe list, let key = unsafe list[position],
      let value = unsafe list[position + 1]
    {
      unsafe attributes[String(cString: key)] = String(cString: value)
      position += 2
    }
    let element = unsafe XMLElement(
      name: String(cString: name), attributes: attributes,
      line: Int(XML_GetCurrentLineNumber(parser)))
    if let parent = open.last { parent.children.append(element) } else { root = element }
    open.append(element)
  }

  private func end() { open.removeLast() }

  private func add(_ text: UnsafePointer<CChar>?, _ count: Int) {
    guard let text = unsafe text, let element = open.last else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
    unsafe element.text += String(decoding: bytes, as: UTF8.self)
  }

  private func stop(_ problem: String) {
    self.problem = problem
    _ = unsafe XML_StopParser(parser, 0)
  }
}
