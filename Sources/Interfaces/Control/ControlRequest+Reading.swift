// ControlRequest+Reading.swift: from a line to a request. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

extension ControlRequest {
  /// Why a line is not a request.
  struct Unreadable: Error, Equatable {
    /// One sentence for people.
    let message: String
  }

  /// Reads a request from a line of JSON.
  init(line: Data) throws(Unreadable) {
    do {
      self = try JSONDecoder().decode(ControlRequest.self, from: line)
    } catch {
      throw Unreadable(message: Self.message(for: error))
    }
    if let key = keyWithNUL {
      throw Unreadable(message: "\"\(key)\" contains a NUL character; leave it out.")
    }
  }

  private static func message(for error: any Error) -> String {
    if case .typeMismatch(_, let context)? = error as? DecodingError {
      if let message = mismatch(at: context.codingPath) { return message }
    }
    if case .valueNotFound(_, let context)? = error as? DecodingError {
      if let message = mismatch(at: context.codingPath) { return message }
    }
    let words = Action.allCases.map { "\"\($0.rawValue)\"" }
    return "This is no request; one is a JSON object on one line, whose \"do\" is one of"
      + " \(words.joined(separator: ", "))."
  }

  /// The type that a key takes; nil where the line as a whole is wrong.
  private static func mismatch(at path: [any CodingKey]) -> String? {
    guard let key = path.first.flatMap({ CodingKeys(stringValue: $0.stringValue) }), key != .action
    else { return nil }
    switch key {
    case .values where path.count > 1:
      return "The value of \"\(path[1].stringValue)\" must be a string, a number, true or false."
    case .values:
      return "\"values\" must be an object of values by symbol, such as {\"mix\": 40}."
    case .replaces, .stores, .restarts: return "\"\(key.rawValue)\" must be true or false."
    case .over: return "\"over\" must be a number of seconds."
    default: return "\"\(key.rawValue)\" must be a string."
    }
  }

  /// The first key whose text contains a NUL character, which would end a path early.
  private var keyWithNUL: String? {
    let texts: [(CodingKeys, String?)] = [
      (.file, file), (.node, node), (.folder, folder), (.scene, scene), (.order, order),
      (.text, text),
    ]
    if let found = texts.first(where: { $0.1?.utf8.contains(0) ?? false }) {
      return found.0.rawValue
    }
    let hasNUL = (values ?? [:]).contains { key, value in
      key.utf8.contains(0) || value.text.utf8.contains(0)
    }
    return hasNUL ? CodingKeys.values.rawValue : nil
  }
}
