// ProcessSignature.swift: checks the arguments of `process`. SPDX-License-Identifier: MIT

/// A `process` function with wrong arguments, found before a call could crash or misread data.
///
/// Only certain faults are reported; unknown type names are accepted.
struct ProcessSignature: Equatable {
  /// The file, as the user wrote it.
  let file: String
  /// The line, from 1.
  let line: Int
  /// The fault, as text after "`process`".
  let fault: String

  /// The required declaration, in C and C++, and in Swift.
  static let inC =
    "void process(void *state, const float *const *inputs, float *const *outputs,"
    + " const float *parameters, uint32_t frame_count)"
  static let inSwift =
    "@c func process(_ state: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,"
    + " _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,"
    + " _ frameCount: UInt32)"

  /// Returns the first exported `process` with wrong arguments; nil if there is none. [any]
  init?(_ source: ModuleSource, _ texts: [SourceText]) {
    for (file, text) in zip(source.files, texts) {
      let language = ModuleSource.Language(fileName: file) ?? source.language
      for index in Self.definitions(in: text.tokens, language) {
        let arguments = Self.arguments(in: text.tokens, from: index + 1)
        guard let fault = Self.fault(in: arguments, language) else { continue }
        (self.file, self.fault, line) = (file, fault, text.lines[index])
        return
      }
    }
    return nil
  }

  // MARK: - Definitions

  /// A function with a body, at the top level or in a block with C linkage.
  struct Function {
    /// The token of its name.
    let tokenIndex: Int
    /// The tokens before the name, from the start of the declaration.
    let head: ArraySlice<String>
    /// Whether the function is declared as `extern "C"`, directly or by a block.
    let hasCLinkage: Bool
  }

  /// Returns the definitions with this name that have C linkage.
  static func definitions(
    in tokens: [String], _ language: ModuleSource.Language
  ) -> [Int] {
    functions(in: tokens) { $0 == "process" }.filter { function in
      let head = function.head
      let isSwift = language == .swift && head.first == "c" && head.contains("func")
      return (language == .swift ? isSwift : language == .c || function.hasCLinkage)
        && !head.contains("static") && !head.contains("inline") && !head.contains("define")
        && head.last != ":" && head.last != "."
        && (language == .swift || head.contains(where: Self.returned.contains))
    }.map(\.tokenIndex)
  }

  /// Returns the functions with matching names.
  static func functions(in tokens: [String], named isWanted: (String) -> Bool) -> [Function] {
    var functions: [Function] = []
    // For each open bracket, whether its content has C linkage.
    var open: [Bool] = []
    for index in tokens.indices {
      switch tokens[index] {
      case "{": open.append(isOfC(tokens[..<index]))
      case "}": _ = open.popLast()
      case let name where open.allSatisfy({ $0 }) && isWanted(name):
        guard isFollowedByBody(tokens, index) else { continue }
        let start = tokens[..<index].lastIndex { [";", "{", "}", "#", "\"", "@"].contains($0) }
        functions.append(
          Function(
            tokenIndex: index, head: tokens[(start.map { $0 + 1 } ?? 0) ..< index],
            hasCLinkage: !open.isEmpty || (start.map { isOfC(tokens[...$0]) } ?? false)))
      default: break
      }
    }
    return functions
  }

  /// Words that may precede a function name.
  static let returned: Set<String> = ["void", "float", "double", "int", "bool", "_Bool"]

  /// Whether `extern "C"` precedes directly.
  private static func isOfC(_ tokens: ArraySlice<String>) -> Bool {
    tokens.suffix(2).elementsEqual(["extern", "\""])
  }

  private static func isFollowedByBody(_ tokens: [String], _ index: Int) -> Bool {
    guard index + 1 < tokens.count, tokens[index + 1] == "(" else { return false }
    var depth = 0
    for next in (index + 1) ..< tokens.count {
      if tokens[next] == "(" { depth += 1 }
      if tokens[next] == ")" { depth -= 1 }
      if depth == 0 { return next + 1 < tokens.count && tokens[next + 1] == "{" }
    }
    return false
  }

  /// Returns the words of each argument up to the closing bracket.
  static func arguments(in tokens: [String], from open: Int) -> [[String]] {
    var arguments: [[String]] = [[]]
    var depth = 0
    for token in tokens[open...] {
      if ["(", "[", "<"].contains(token) { depth += 1 }
      if [")", "]", ">"].contains(token) { depth -= 1 }
      if depth == 0 { break }
      if token == ",", depth == 1 {
        arguments.append([])
      } else if !(token == "(" && depth == 1) {
        arguments[arguments.count - 1].append(token)
      }
    }
    return arguments.filter { !$0.isEmpty && $0 != ["void"] }
  }

  // MARK: - Faults

  static func fault(
    in arguments: [[String]], _ language: ModuleSource.Language
  ) -> String? {
    guard arguments.count == 5 else {
      return "has \(arguments.count) argument\(arguments.count == 1 ? "" : "s") instead of 5"
    }
    for (number, words) in arguments.enumerated().dropFirst().dropLast()
    where words.contains("double") || words.contains("Double") {
      return "has doubles as its \(ordinals[number]) argument instead of floats"
    }
    guard language != .swift else { return nil }
    let wanted = [1, 2, 2, 1, 0]
    for (number, words) in arguments.enumerated() where isPlain(words) {
      let depth = words.count { $0 == "*" || $0 == "[" }
      if depth != wanted[number] {
        return
          "has \(kinds[depth] ?? "something else") as its \(ordinals[number]) argument instead of"
          + " \(kinds[wanted[number]] ?? "")"
      }
    }
    return nil
  }

  /// Whether the type is a well-known one.
  private static func isPlain(_ words: [String]) -> Bool {
    let known: Set<String> = ["float", "void", "int", "unsigned", "uint32_t", "int32_t", "size_t"]
    return words.contains(where: known.contains)
  }

  private static let ordinals = ["first", "second", "third", "fourth", "last"]
  private static let kinds = [
    0: "a number", 1: "a pointer", 2: "pointers to each channel", 3: "one pointer too many",
  ]
}
