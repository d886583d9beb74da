// MakefileText.swift: the rules in the text of a makefile or another build script. SPDX-License-Identifier: MIT

import FoundationEssentials

/// The rules of a makefile.
struct MakefileText {
  /// A rule: its targets, its prerequisites and the lines of its recipe.
  private struct Rule {
    var targets: [String]
    var needs: [String]
    var recipe: [String] = []
    /// The pattern of a static pattern rule, such as `%.h` in `$(TABLES): %.h: %.txt`.
    var pattern: String?
  }

  private var rules: [Rule] = []
  /// The variables with values that are written out, by name.
  private var variables: [String: String] = [:]

  init(_ text: String) {
    for line in Self.lines(text) {
      if line.hasPrefix("\t") {
        if !rules.isEmpty { rules[rules.count - 1].recipe.append(line) }
      } else if !note(variable: line) {
        note(rule: line)
      }
    }
  }

  /// Joins continued lines and removes comments.
  private static func lines(_ text: String) -> [String] {
    var lines: [String] = []
    var isContinued = false
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let content = line.hasPrefix("\t") ? line : line.prefix { $0 != "#" }
      let continues = content.hasSuffix("\\")
      let part = continues ? content.dropLast() : content
      if isContinued { lines[lines.count - 1] += " " + part } else { lines.append(String(part)) }
      isContinued = continues
    }
    return lines
  }

  /// Notes an assignment; returns false if the line is none.
  private mutating func note(variable line: String) -> Bool {
    guard let equals = line.firstIndex(of: "=") else { return false }
    let before = line[..<equals]
    // A rule may set a variable: `target: NAME = value`.
    guard let colon = before.firstIndex(of: ":") else {
      let isMore = before.hasSuffix("+")
      let name = before.filter { !$0.isWhitespace && !"+?!".contains($0) }
      let value = String(line[line.index(after: equals)...])
      variables[name] = isMore ? (variables[name] ?? "") + " " + value : value
      return true
    }
    guard before[colon...].allSatisfy({ $0 == ":" }) else { return false }
    let name = before[..<colon].filter { !$0.isWhitespace }
    variables[name] = String(line[line.index(after: equals)...])
    return true
  }

  private mutating func note(rule line: String) {
    guard let colon = line.firstIndex(of: ":") else { return }
    // A recipe may follow on the same line.
    let whole = line.split(separator: ";", maxSplits: 1)
    let rest = (whole.first ?? "")[line.index(after: colon)...].drop { $0 == ":" }
    let parts = rest.split(separator: ":", maxSplits: 1)
    let isStatic = parts.count == 2 && parts[0].contains("%")
    var rule = Rule(
      targets: words(line[..<colon]).filter { $0 != "&" }.map {
        $0.hasSuffix("&") ? String($0.dropLast()) : $0
      },
      needs: words(isStatic ? parts[1] : rest[...]),
      pattern: isStatic ? parts[0].filter { !$0.isWhitespace } : nil)
    rule.recipe = whole.dropFirst().map(String.init)
    rules.append(rule)
  }

  /// Splits a list into words, with the variables of this file replaced.
  private func words(_ list: Substring) -> [String] {
    var text = String(list)
    for _ in 0 ..< 8 {
      guard let (range, name) = Self.reference(in: text) else { break }
      guard let value = variables[name] else {
        // An unknown variable stays as it is; the ones after it are replaced.
        let tail = words(text[range.upperBound...])
        let head = text[..<range.upperBound].split(whereSeparator: \.isWhitespace).map(String.init)
        let joins = text[range.upperBound...].first.map { !$0.isWhitespace } ?? false
        guard joins, let last = head.last, let first = tail.first else { return head + tail }
        return head.dropLast() + [last + first] + tail.dropFirst()
      }
      text.replaceSubrange(range, with: value)
    }
    return text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The first plain reference such as `$(NAME)` or `${NAME}`.
  private static func reference(in text: String) -> (Range<String.Index>, String)? {
    guard let start = text.firstRange(of: "$"), start.upperBound < text.endIndex,
      let close = ["(": ")", "{": "}"][String(text[start.upperBound])],
      let end = text[start.upperBound...].firstRange(of: close)
    else { return nil }
    let name = text[text.index(after: start.upperBound) ..< end.lowerBound]
    return (start.lowerBound ..< end.upperBound, String(name))
  }

  // MARK: - Search

  /// Returns the target that generates a file: the file, a pattern, or a target whose recipe writes it. [any]
  ///
  /// - Parameters:
  ///   - name: the file name in the code.
  ///   - directory: the directory of the makefile, for the prerequisites of patterns.
  /// - Returns: the target for `make`; nil if no rule generates the file.
  func target(making name: String, in directory: String) -> String? {
    let base = name.split(separator: "/").last.map(String.init) ?? name
    for rule in rules {
      guard let target = rule.targets.first(where: { BuildScriptText.isName($0, base) }) else {
        continue
      }
      // For a target in a variable directory, run the default target.
      return target.contains("$") ? "all" : target
    }
    for rule in rules {
      let patterns = rule.pattern.map { [$0] } ?? rule.targets
      for pattern in patterns where pattern.contains("%") {
        if let target = Self.match(pattern, rule.needs, base, directory) { return target }
      }
    }
    return suffixRule(making: base, in: directory)
      ?? rules.first { rule in
        rule.recipe.contains { BuildScriptText($0).mentions(base) }
          && !(rule.targets.first ?? ".").hasPrefix(".")
      }?.targets.first
  }

  /// A pattern such as `%.h: %.txt`, if the prerequisites exist.
  private static func match(
    _ pattern: String, _ needs: [String], _ base: String, _ makefileDirectory: String
  ) -> String? {
    let directory = pattern.lastIndex(of: "/").map { String(pattern[...$0]) } ?? ""
    let parts = pattern.dropFirst(directory.count).split(
      separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !directory.contains("%"), base.hasPrefix(parts[0]),
      base.dropFirst(parts[0].count).hasSuffix(parts[1])
    else { return nil }
    let stem = base.dropFirst(parts[0].count).dropLast(parts[1].count)
    let files = needs.filter { $0.contains("%") }.map { $0.replacing("%", with: stem) }
    guard !stem.isEmpty, !files.isEmpty else { return nil }
    // The path of a prerequisite may depend on a variable.
    let areThere = files.allSatisfy { file in
      file.contains("$") || FileManager.default.fileExists(atPath: "\(makefileDirectory)/\(file)")
    }
    guard areThere else { return nil }
    return directory.contains("$") ? "all" : directory + base
  }

  /// An old suffix rule such as `.txt.h:`, if the prerequisite exists.
  private func suffixRule(making base: String, in directory: String) -> String? {
    guard let dot = base.lastIndex(of: ".") else { return nil }
    let isFound = rules.flatMap(\.targets).contains { target in
      guard target.hasPrefix("."), target.hasSuffix(base[dot...]) else { return false }
      let source = base[..<dot] + target.dropLast(base[dot...].count)
      return source.count > base[..<dot].count
        && FileManager.default.fileExists(atPath: "\(directory)/\(source)")
    }
    return isFound ? base : nil
  }
}

/// The words of a build script.
struct BuildScriptText {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Whether a line names a file, alone or in a directory, outside of comments. [any]
  func mentions(_ base: String) -> Bool {
    text.split(whereSeparator: \.isNewline).contains { line in
      line.prefix { $0 != "#" }
        .split { $0.isWhitespace || ">;\"'(),=[]".contains($0) }
        .contains { Self.isName($0, base) || $0 == "-o" + base }
    }
  }

  /// Whether a word is a file of this name.
  static func isName(_ word: some StringProtocol, _ base: String) -> Bool {
    word == base || word.hasSuffix("/" + base) || word.hasSuffix("}" + base)
      || word.hasSuffix(")" + base)
  }
}
