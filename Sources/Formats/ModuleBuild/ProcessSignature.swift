// ProcessSignature.swift: whether `process` takes what it is called with. SPDX-License-Identifier: MIT

/// A `process` whose arguments are others than those of the contract, found before it is called with them: it
/// would crash, or read one thing for another.
///
/// Only what is certain is a mistake: names of types that only the code knows are believed.
struct ProcessSignature: Equatable {
  /// The file, as the user names it.
  let file: String
  /// The line, from 1.
  let line: Int
  /// What is wrong with it, after "`process`".
  let fault: String

  /// What it has to be, in C and C++, and in Swift.
  static let inC =
    "void process(void *state, const float *const *inputs, float *const *outputs,"
    + " const float *parameters, uint32_t frame_count)"
  static let inSwift =
    "@c func process(_ state: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,"
    + " _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,"
    + " _ frameCount: UInt32)"

  /// The first exported `process` of some files that cannot be right; nil if there is none. [any]
  init?(_ source: ModuleSource, _ texts: [SourceText]) {
    for (file, text) in zip(source.files, texts) {
      let language = ModuleSource.Language(fileName: file) ?? source.language
      for place in Self.definitions(in: text.tokens, language) {
        let arguments = Self.arguments(in: text.tokens, from: place + 1)
        guard let fault = Self.fault(in: arguments, language) else { continue }
        (self.file, self.fault, line) = (file, fault, text.lines[place])
        return
      }
    }
    return nil
  }

  // MARK: - Definitions

  /// Where functions of that name are defined that other code can call by it.
  static func definitions(
    in tokens: [String], _ language: ModuleSource.Language
  ) -> [Int] {
    var places: [Int] = []
    // For each bracket that is open, whether what is in it has C's names.
    var open: [Bool] = []
    for place in tokens.indices {
      switch tokens[place] {
      case "{": open.append(isOfC(tokens[..<place]))
      case "}": _ = open.popLast()
      case "process" where open.allSatisfy { $0 }:
        let start = tokens[..<place].lastIndex { [";", "{", "}", "#", "\"", "@"].contains($0) }
        let head = tokens[(start.map { $0 + 1 } ?? 0) ..< place]
        let hasCName =
          language == .c || !open.isEmpty || (start.map { isOfC(tokens[...$0]) } ?? false)
        let isSwift = language == .swift && head.first == "c" && head.contains("func")
        guard language == .swift ? isSwift : hasCName,
          !head.contains("static"), !head.contains("inline"), !head.contains("define"),
          head.last != ":", head.last != ".",
          language == .swift || head.contains(where: Self.returned.contains),
          isFollowedByBody(tokens, place)
        else { continue }
        places.append(place)
      default: break
      }
    }
    return places
  }

  /// What stands before the name of a function; without one of them it may be something else.
  private static let returned: Set<String> = ["void", "float", "double", "int", "bool", "_Bool"]

  /// Whether `extern "C"` stands right before.
  private static func isOfC(_ tokens: ArraySlice<String>) -> Bool {
    tokens.suffix(2).elementsEqual(["extern", "\""])
  }

  private static func isFollowedByBody(_ tokens: [String], _ place: Int) -> Bool {
    guard place + 1 < tokens.count, tokens[place + 1] == "(" else { return false }
    var depth = 0
    for next in (place + 1) ..< tokens.count {
      if tokens[next] == "(" { depth += 1 }
      if tokens[next] == ")" { depth -= 1 }
      if depth == 0 { return next + 1 < tokens.count && tokens[next + 1] == "{" }
    }
    return false
  }

  /// The words of each argument between a bracket and the one that closes it.
  private static func arguments(in tokens: [String], from open: Int) -> [[String]] {
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

  private static func fault(
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

  /// Whether the type is one that every reader knows.
  private static func isPlain(_ words: [String]) -> Bool {
    let known: Set<String> = ["float", "void", "int", "unsigned", "uint32_t", "int32_t", "size_t"]
    return words.contains(where: known.contains)
  }

  private static let ordinals = ["first", "second", "third", "fourth", "last"]
  private static let kinds = [
    0: "a number", 1: "a pointer", 2: "pointers to each channel", 3: "one pointer too many",
  ]
}
