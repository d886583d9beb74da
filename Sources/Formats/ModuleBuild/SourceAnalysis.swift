// SourceAnalysis.swift: infers channels and parameters from `process`. SPDX-License-Identifier: MIT

/// Channels and parameters that the code uses.
///
/// Inferred only from `process`: the highest constant index of each argument gives the count. If the code passes an
/// argument on or loops over it, the count is unknown.
package struct SourceAnalysis: Sendable, Equatable {
  /// A parameter that the code uses.
  package struct Parameter: Sendable, Equatable {
    /// The name in the code, or one made from the index.
    package var symbol: String
    /// The display name.
    package var name: String
  }

  /// The number of input channels; nil if unknown.
  package private(set) var inputCount: Int?
  /// The number of output channels; nil if unknown.
  package private(set) var outputCount: Int?
  /// The parameters by index; empty if unknown.
  package private(set) var parameters: [Parameter] = []
  /// Whether the source has a `midi` function.
  package private(set) var acceptsMIDI = false

  /// The maximum number of inferred parameters.
  private static let maximumChannelCount = 64
  private static let maximumParameterCount = 64

  /// Analyses the files of a module. [any]
  package init(_ files: [SourceText]) {
    let constants = Constants(files.map(\.tokens))
    acceptsMIDI =
      files.contains { Function("midi", arguments: 4, in: $0.tokens) != nil }
      || SourceAdapter(files)?.acceptsMIDI == true
    guard
      let process = files.lazy.compactMap({ file in
        Function("process", arguments: 5, in: file.tokens) ?? Function(ofStructIn: file.tokens)
      }).first
    else { return }
    func count(_ argument: Int, _ limit: Int) -> Int? {
      guard let uses = process.indices(of: process.arguments[argument], constants) else {
        return nil
      }
      guard let highest = uses.map(\.value).max(), highest < limit else { return nil }
      return highest + 1
    }
    inputCount = process.mentions(process.arguments[1]) ? count(1, Self.maximumChannelCount) : 0
    outputCount = count(2, Self.maximumChannelCount)
    // A module without inputs and outputs means that the analysis failed.
    if outputCount == nil, inputCount == 0 { inputCount = nil }
    if let count = count(3, Self.maximumParameterCount) {
      let uses = process.indices(of: process.arguments[3], constants) ?? []
      parameters = (0 ..< count).map { number in
        Self.parameter(
          number, uses.first { $0.value == number }?.name ?? constants.name(of: number, like: uses))
      }
      parameters = Self.unique(parameters)
    }
  }

  private static func parameter(_ number: Int, _ constant: String?) -> Parameter {
    guard let words = constant.map(words), !words.isEmpty else {
      return Parameter(symbol: "p\(number + 1)", name: "Parameter \(number + 1)")
    }
    let name = words.joined(separator: " ")
    return Parameter(
      symbol: words.joined(separator: "_"), name: name.prefix(1).uppercased() + name.dropFirst())
  }

  /// Returns a constant's name as words, without a prefix that means "parameter".
  private static func words(_ constant: String) -> [String] {
    var words: [String] = []
    var last: Character = "_"
    for letter in constant {
      if letter == "_" {
        words.append("")
      } else if letter.isUppercase, last.isLowercase || last.isNumber {
        words.append(letter.lowercased())
      } else {
        if words.isEmpty { words.append("") }
        words[words.count - 1] += letter.lowercased()
      }
      last = letter
    }
    words.removeAll(where: \.isEmpty)
    let empty: Set<String> = [
      "k", "p", "param", "parameter", "prm", "idx", "index", "ctl", "control",
    ]
    while words.count > 1, empty.contains(words[0]) { words.removeFirst() }
    while words.count > 1, empty.contains(words[words.count - 1]) { words.removeLast() }
    // A symbol starts with a letter.
    return words.first?.first?.isLetter == true ? words : []
  }

  private static func unique(_ parameters: [Parameter]) -> [Parameter] {
    let symbols = Set(parameters.map(\.symbol))
    guard symbols.count < parameters.count else { return parameters }
    return parameters.indices.map { parameter($0, nil) }
  }
}

/// The arguments and the body of a function.
private struct Function {
  let arguments: [String]
  private let body: ArraySlice<String>
  /// The value whose fields are the arguments; nil for plain arguments.
  private let owner: String?

  /// Finds the method of a Swift kit struct, with the fields of its only argument as arguments; nil if there is
  /// none.
  init?(ofStructIn tokens: [String]) {
    guard tokens.contains("AudioModule"), let method = Function("process", arguments: 1, in: tokens)
    else { return nil }
    arguments = ["", "inputs", "outputs", "parameters", ""]
    body = method.body
    owner = method.arguments[0]
  }

  /// Finds the definition with this name and number of arguments; nil if there is none.
  init?(_ name: String, arguments count: Int, in tokens: [String]) {
    for position in tokens.indices where tokens[position] == name {
      guard position + 1 < tokens.count, tokens[position + 1] == "(",
        let end = Self.closing(tokens, from: position + 1), end + 1 < tokens.count
      else { continue }
      let arguments = Self.split(tokens[(position + 2) ..< end]).map(Self.argumentName)
      // A declaration or call has no body.
      guard arguments.count == count,
        let open = tokens[(end + 1)...].firstIndex(where: { $0 == "{" || $0 == ";" }),
        tokens[open] == "{", let close = Self.closing(tokens, from: open)
      else { continue }
      self.arguments = arguments
      body = tokens[(open + 1) ..< close]
      owner = nil
      return
    }
    return nil
  }

  /// Returns the index of the matching closing bracket.
  private static func closing(_ tokens: [String], from open: Int) -> Int? {
    let pairs = ["(": ")", "{": "}", "[": "]"]
    guard let close = pairs[tokens[open]] else { return nil }
    var depth = 0
    for position in open ..< tokens.count {
      if tokens[position] == tokens[open] { depth += 1 }
      if tokens[position] == close { depth -= 1 }
      if depth == 0 { return position }
    }
    return nil
  }

  private static func split(_ tokens: ArraySlice<String>) -> [ArraySlice<String>] {
    guard !tokens.isEmpty else { return [] }
    var parts: [ArraySlice<String>] = []
    var depth = 0
    var start = tokens.startIndex
    for position in tokens.indices {
      if ["(", "[", "<"].contains(tokens[position]) { depth += 1 }
      if [")", "]", ">"].contains(tokens[position]) { depth -= 1 }
      if tokens[position] == ",", depth == 0 {
        parts.append(tokens[start ..< position])
        start = position + 1
      }
    }
    return parts + [tokens[start...]]
  }

  /// The name of an argument: in C the last word, in Swift the one before the colon; nil for only a type.
  private static func argumentName(_ tokens: ArraySlice<String>) -> String {
    if let colon = tokens.firstIndex(of: ":"), colon > tokens.startIndex {
      return tokens[colon - 1]
    }
    let words = tokens.filter { $0.first.map { $0.isLetter || $0 == "_" } ?? false }
    return words.count > 1 ? words[words.count - 1] : ""
  }

  /// Whether the body uses an argument.
  func mentions(_ argument: String) -> Bool { !argument.isEmpty && body.contains(argument) }

  /// Returns the constant indices of an argument with their names; nil if the body uses it in another way.
  func indices(
    of argument: String, _ constants: Constants
  ) -> [(value: Int, name: String?)]? {
    guard mentions(argument) else { return nil }
    var found: [(value: Int, name: String?)] = []
    for position in body.indices where body[position] == argument {
      // `(void)inputs;` means that it is unused.
      if position >= body.startIndex + 3,
        body[(position - 3) ..< position].elementsEqual(["(", "void", ")"])
      {
        continue
      }
      // A field with that name is something else, unless it belongs to the searched value.
      let before = body[..<position].suffix(2)
      let isField = before.last == "." || before.elementsEqual(["-", ">"])
      let isOfOwner = before.last == "." && before.first == owner
      if owner == nil ? isField : !isOfOwner { continue }
      guard position + 3 < body.endIndex, body[position + 1] == "[", body[position + 3] == "]"
      else {
        return nil
      }
      let index = body[position + 2]
      if let number = Int(index) {
        found.append((number, nil))
      } else if let number = constants.values[index] {
        found.append((number, index))
      } else {
        return nil
      }
    }
    return found.isEmpty ? nil : found
  }
}

/// Names of integer constants: enumerations, macros and constants.
private struct Constants {
  private(set) var values: [String: Int] = [:]
  /// The names of each enumeration, in order.
  private var families: [[String]] = []

  init(_ files: [[String]]) {
    for tokens in files {
      readEnumerations(tokens)
      for position in tokens.indices {
        // `#define NAME 3`
        if tokens[position] == "define", position + 2 < tokens.count,
          let value = Int(tokens[position + 2])
        {
          values[tokens[position + 1]] = value
        }
        // `const int NAME = 3`, `let name = 3`
        if tokens[position] == "=", position > 0, position + 2 < tokens.count,
          let value = Int(tokens[position + 1]),
          declaresConstant(tokens, before: position)
        {
          values[tokens[position - 1]] = value
        }
      }
    }
  }

  private func declaresConstant(_ tokens: [String], before position: Int) -> Bool {
    let start = max(0, position - 7)
    let words = tokens[start ..< position].reversed().prefix { ![";", "{", "}", "="].contains($0) }
    return words.contains { ["const", "constexpr", "let"].contains($0) }
  }

  private mutating func readEnumerations(_ tokens: [String]) {
    for position in tokens.indices where tokens[position] == "enum" {
      guard let open = tokens[position...].prefix(6).firstIndex(of: "{"),
        let close = tokens[open...].firstIndex(of: "}")
      else { continue }
      var next = 0
      var family: [String] = []
      for item in tokens[(open + 1) ..< close].split(separator: ",") {
        guard let name = item.first else { continue }
        if item.count == 3, item[item.startIndex + 1] == "=",
          let value = Int(item[item.startIndex + 2])
        {
          next = value
        } else if item.count != 1 {
          break
        }
        values[name] = next
        family.append(name)
        next += 1
      }
      families.append(family)
    }
  }

  /// Returns the name of a number in the enumeration of the used names.
  func name(of number: Int, like uses: [(value: Int, name: String?)]) -> String? {
    let known = uses.compactMap(\.name)
    let family = families.first { family in known.contains(where: family.contains) }
    return family?.first { values[$0] == number }
  }
}
