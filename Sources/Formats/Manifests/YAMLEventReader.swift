// YAMLEventReader.swift: libyaml's parsing events as Swift values. SPDX-License-Identifier: MIT

import CYAML

/// One parsing event and its position.
struct YAMLEvent {
  /// The event's type and payload.
  enum Kind {
    case alias(String)
    case scalar(String, isPlain: Bool, anchor: String?)
    case sequenceStart(anchor: String?)
    case mappingStart(anchor: String?)
    /// The end of a sequence or mapping.
    case end
    case streamEnd
    /// The start of the stream, or the start or end of a document.
    case other
  }

  var kind: Kind
  var position: SourcePosition

  /// Whether a sequence or mapping ends here.
  var isEnd: Bool {
    if case .end = kind { return true }
    return false
  }
}

/// Reads parsing events from text.
///
/// This is the only code that uses libyaml.
@safe final class YAMLEventReader {
  private let file: String
  private let text: [UInt8]
  /// At a fixed address, as libyaml keeps pointers into it.
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let input: UnsafeMutableBufferPointer<UInt8>

  init(_ text: String, file: String) {
    self.file = file
    self.text = Array(text.utf8)
    unsafe input = .allocate(capacity: self.text.count)
    _ = unsafe input.initialize(from: self.text)
    guard unsafe yaml_parser_initialize(parser) == 1 else { fatalError("Out of memory.") }
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
    unsafe input.deallocate()
  }

  /// Returns the next event. [any]
  ///
  /// - Throws: `ManifestError` with one diagnostic if the text is not YAML here.
  func next() throws(ManifestError) -> YAMLEvent {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw failure() }
    defer { unsafe yaml_event_delete(&event) }
    let position = unsafe SourcePosition(event.start_mark)
    let kind = unsafe Self.kind(event)
    // A NUL character would end a path or a name early in C.
    if case .scalar(let text, _, _) = kind, text.utf8.contains(0) {
      throw failure("a text contains a NUL character (\\0). Remove it.", position)
    }
    return YAMLEvent(kind: kind, position: position)
  }

  private static func kind(_ event: yaml_event_t) -> YAMLEvent.Kind {
    switch unsafe event.type {
    case YAML_ALIAS_EVENT: return unsafe .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      // A text may contain a NUL character, so its length is used.
      let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return unsafe .scalar(
        String(decoding: bytes, as: UTF8.self),
        isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE || scalar.style == YAML_ANY_SCALAR_STYLE,
        anchor: text(scalar.anchor))
    case YAML_SEQUENCE_START_EVENT:
      return unsafe .sequenceStart(anchor: text(event.data.sequence_start.anchor))
    case YAML_MAPPING_START_EVENT:
      return unsafe .mappingStart(anchor: text(event.data.mapping_start.anchor))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .end
    case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .streamEnd
    default: return .other
    }
  }

  private static func text(_ pointer: UnsafePointer<yaml_char_t>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
  }

  // MARK: - Errors

  private func failure() -> ManifestError {
    let state = unsafe parser.pointee
    let problem = unsafe state.problem.map { unsafe String(cString: $0) } ?? "out of memory"
    guard unsafe state.error != YAML_READER_ERROR else {
      let code = unsafe state.problem_value < 0 ? "" : " \(codePoint(state.problem_value))"
      return failure(
        "control character\(code) is not allowed in YAML. Remove it.",
        unsafe position(ofByte: state.problem_offset))
    }
    let position = unsafe SourcePosition(state.problem_mark)
    let context = unsafe state.context.map { unsafe String(cString: $0) }
    let contextPosition = context.map { _ in unsafe SourcePosition(state.context_mark) }
    let syntaxError = YAMLSyntaxError(
      problem: problem, context: context ?? "", contextLine: contextPosition?.line,
      letter: letter(at: position))
    return failure(
      syntaxError.message, syntaxError.isAtContext ? contextPosition ?? position : position)
  }

  private func failure(_ message: String, _ position: SourcePosition) -> ManifestError {
    ManifestError(file, fault: .syntax(message: message), position: position)
  }

  /// The character at a position, or nil at the end of the text.
  private func letter(at position: SourcePosition) -> Unicode.Scalar? {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(position.line - 1) else { return nil }
    let line = String(decoding: lines[position.line - 1], as: UTF8.self).unicodeScalars
    if let letter = line.dropFirst(position.column - 1).first { return letter }
    return position.line < lines.count && position.column == line.count + 1 ? "\n" : nil
  }

  private func position(ofByte offset: Int) -> SourcePosition {
    let before = text.prefix(offset)
    let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let column = String(decoding: lines.last ?? before, as: UTF8.self).unicodeScalars.count + 1
    return SourcePosition(line: lines.count, column: column)
  }

  /// Returns a code point with at least four digits.
  private func codePoint(_ value: CInt) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension SourcePosition {
  /// libyaml counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}
