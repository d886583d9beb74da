// MissingSymbol.swift: symbols that the linker does not find. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// An undefined symbol.
struct MissingSymbol: Hashable {
  /// The name without namespaces, classes and arguments.
  let name: String
  /// The class or namespace before it; nil for none.
  let owner: String?
  /// Whether the symbol is a C++ name, which has arguments or an owner.
  let isCPlusPlus: Bool

  /// Returns the undefined symbols in messages of the GNU or LLVM linker, without duplicates. [any]
  static func all(in messages: String) -> [MissingSymbol] {
    var seen: Set<MissingSymbol> = []
    return messages.split(whereSeparator: \.isNewline).compactMap { line in
      for mark in ["undefined reference to ", "undefined symbol: "] {
        guard let range = line.firstRange(of: mark) else { continue }
        let symbol = MissingSymbol(
          line[range.upperBound...].trimming { "`' \"".contains($0) })
        if let symbol, seen.insert(symbol).inserted { return symbol }
      }
      return nil
    }
  }

  /// Parses a name of the linker, such as `sine` or `Filter::run(float*, int)`; nil for an unnamed symbol.
  init?(_ shown: String) {
    var text = shown[...]
    isCPlusPlus = shown.contains("(") || shown.contains("::")
    // A vtable is in the same file as the functions of its class.
    if let range = text.firstRange(of: "vtable for ") {
      text = text[range.upperBound...]
      guard let last = text.split(separator: "::").last else { return nil }
      (name, owner) = (String(last), String(last))
      return
    }
    if let open = text.firstIndex(of: "(") { text = text[..<open] }
    let parts = text.split(separator: "::").map { part in
      String(part.prefix { $0 != "<" })
    }
    guard let last = parts.last, last.first.map({ $0.isLetter || $0 == "_" || $0 == "~" }) == true
    else { return nil }
    name = last.hasPrefix("~") ? String(last.dropFirst()) : last
    owner = parts.count > 1 ? parts[parts.count - 2] : nil
  }

  /// Whether code defines it: a function with a body, or a variable with a value. [any]
  func isDefined(in tokens: [String]) -> Bool {
    var depth = 0
    for index in tokens.indices {
      switch tokens[index] {
      // Code in a namespace or `extern "C"` counts like code outside.
      case "{": if depth > 0 || !opensScope(tokens, index) { depth += 1 }
      case "}": depth = max(0, depth - 1)
      case name where depth == 0 && hasOwner(tokens, index):
        if isFunction(tokens, index) || isVariable(tokens, index) { return true }
      default: break
      }
    }
    return false
  }

  private func hasOwner(_ tokens: [String], _ index: Int) -> Bool {
    let start = tokens[..<index].last == "~" ? index - 1 : index
    guard start >= 3, tokens[start - 1] == ":", tokens[start - 2] == ":" else {
      return owner == nil || start < 2 || tokens[start - 1] != ":"
    }
    return owner == nil || tokens[start - 3] == owner
  }

  /// Whether a brace opens a namespace or linkage block.
  private func opensScope(_ tokens: [String], _ index: Int) -> Bool {
    tokens[..<index].suffix(3).contains("namespace")
      || tokens[..<index].suffix(2).elementsEqual(["extern", "\""])
  }

  private func isFunction(_ tokens: [String], _ index: Int) -> Bool {
    guard index + 1 < tokens.count, tokens[index + 1] == "(",
      !tokens[..<index].suffix(12).reversed().prefix(while: { ![";", "}", "{"].contains($0) })
        .contains("static")
    else { return false }
    var depth = 0
    for next in (index + 1) ..< tokens.count {
      if tokens[next] == "(" { depth += 1 }
      if tokens[next] == ")" { depth -= 1 }
      guard depth == 0 else { continue }
      // `const`, `noexcept`, member initialisers, or old-style C arguments.
      let rest = tokens[(next + 1)...].prefix(40)
      guard let open = rest.firstIndex(of: "{") else { return false }
      let between = rest[..<open]
      return !between.contains(";") || between.last == ";"
    }
    return false
  }

  private func isVariable(_ tokens: [String], _ index: Int) -> Bool {
    let before = tokens[..<index].reversed().prefix { ![";", "}", "{", ")"].contains($0) }
    guard !before.isEmpty, !before.contains("extern"), !before.contains("static") else {
      return false
    }
    var next = index + 1
    while next < tokens.count, tokens[next] == "[" {
      while next < tokens.count, tokens[next] != "]" { next += 1 }
      next += 1
    }
    return next < tokens.count && ["=", ";", ","].contains(tokens[next])
  }
}

extension HeaderSearch {
  /// Returns nearby sources that define symbols. [any]
  ///
  /// - Parameters:
  ///   - symbols: the undefined symbols.
  ///   - taken: files that are already compiled.
  /// - Returns: for each symbol the nearest files that define it, if any.
  func definitions(
    of symbols: [MissingSymbol], except taken: [String]
  ) -> [(symbol: MissingSymbol, files: [String])] {
    let known = Set(taken.map(Self.canonical))
    var wanted = symbols
    var found: [(symbol: MissingSymbol, files: [String])] = []
    for root in Self.roots(around: source.files.first ?? source.path) {
      var hits: [MissingSymbol: [String]] = [:]
      for file in Self.sources(below: root) where !known.contains(Self.canonical(file)) {
        guard let data = FileManager.default.contents(atPath: file), data.count < Self.maximumBytes
        else { continue }
        let text = String(decoding: data, as: UTF8.self)
        let mentioned = wanted.filter { text.contains($0.name) }
        guard !mentioned.isEmpty else { continue }
        let tokens = SourceText(text).tokens
        for symbol in mentioned where symbol.isDefined(in: tokens) {
          hits[symbol, default: []].append(file)
        }
      }
      found += wanted.compactMap { symbol in hits[symbol].map { (symbol, $0) } }
      wanted.removeAll { hits[$0] != nil }
      if wanted.isEmpty { break }
    }
    return found
  }

  /// Returns a hint about undefined symbols; nil if the linker's message is sufficient. [any]
  func hint(for symbols: [MissingSymbol], except taken: [String]) -> String? {
    guard let first = symbols.first else { return nil }
    if let hint = linkageHint(for: symbols, in: taken) { return hint }
    let found = definitions(of: symbols, except: taken)
    if let several = found.first(where: { $0.files.count > 1 }) {
      let files = several.files.prefix(3).joined(separator: " and ")
      return
        "`\(several.symbol.name)` is defined in \(files). Include one of them or put it into a"
        + " directory with the source."
    }
    guard found.isEmpty else { return nil }
    if let library = Self.libraries.first(where: { first.name.hasPrefix($0.prefix) }) {
      return
        "`\(first.name)` is in a library. Add `compiler_flags: \(library.flag)` to the comment that starts with"
        + " `// outboard:`."
    }
    return
      "No source nearby defines `\(first.name)`. If it is in a library, add it in the comment:"
      + " `// outboard: compiler_flags: -lNAME`."
  }

  /// Returns a hint about a function that one file defines in C and another one declares in C++, or the reverse.
  private func linkageHint(for symbols: [MissingSymbol], in files: [String]) -> String? {
    for file in files {
      guard let language = ModuleSource.Language(fileName: file), language != .swift else {
        continue
      }
      let others = symbols.filter { $0.isCPlusPlus != (language == .cPlusPlus) && $0.owner == nil }
      guard !others.isEmpty, let data = FileManager.default.contents(atPath: file),
        data.count < Self.maximumBytes
      else { continue }
      let tokens = SourceText(String(decoding: data, as: UTF8.self)).tokens
      guard let symbol = others.first(where: { $0.isDefined(in: tokens) }) else { continue }
      return language == .c
        ? "`\(symbol.name)` is a C function in \(file), but C++ code declares it without `extern \"C\"`."
          + " Write `extern \"C\" {` before the `#include` of its header and `}` after it."
        : "`\(symbol.name)` is a C++ function in \(file), but C code calls it. Write `extern \"C\"` before"
          + " its definition, and use argument types of C."
    }
    return nil
  }

  private static let libraries: [(prefix: String, flag: String)] = [
    ("fftwf_", "-lfftw3f"), ("fftw_", "-lfftw3"), ("sf_", "-lsndfile"), ("src_", "-lsamplerate"),
    ("zita", "-lzita-convolver"), ("cblas_", "-lcblas"), ("gsl_", "-lgsl"),
    ("speex_", "-lspeexdsp"),
    ("opus_", "-lopus"), ("rnnoise_", "-lrnnoise"), ("rubberband_", "-lrubberband"),
  ]

  /// A longer source contains data.
  private static var maximumBytes: Int { 4 << 20 }

  private static func canonical(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// Returns C and C++ files below a directory without tests, examples and documents, nearest first.
  private static func sources(below root: String) -> [String] {
    var visited = 0
    var found: [(path: String, depth: Int)] = []
    DirectoryWalk.visit(root) { entry in
      if entry.name.hasPrefix(".") { return .skip }
      visited += 1
      if visited > maximumFileCount { return .stop }
      let language = ModuleSource.Language(fileName: entry.name)
      if language == nil, ModuleSource.isExcludedFile(entry.name) { return .skip }
      if let language, language != .swift { found.append((entry.path, entry.depth)) }
      return .descend
    }
    return found.sorted { ($0.depth, $0.path) < ($1.depth, $1.path) }.map(\.path)
  }
}
