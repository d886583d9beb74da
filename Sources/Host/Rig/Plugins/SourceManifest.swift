// SourceManifest.swift: what is said, and what can be told, of a module that is a source. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import ModuleBuild

/// The manifest of a module that is compiled here.
///
/// What stands in a `.yaml` beside the source, or in a comment of it that begins with `outboard:`, is
/// kept; what is left away is told from the code, or is as usual: stereo, without parameters.
struct SourceManifest {
  /// A whole manifest.
  let text: String
  /// What was told from the code and may be wrong, as one sentence; nil where all is said.
  let note: String?
  /// What `compiler_flags` tells the compiler.
  let flags: [String]
  /// Whether channels or parameters are left away, so that the compiled code is worth asking.
  let leavesAway: Bool
  /// The keys that the user has written.
  let declaredKeys: Set<String>

  /// Reads, or makes up, the manifest of a source. [any]
  ///
  /// - Parameters:
  ///   - source: what is compiled.
  ///   - told: what the compiled code says of itself, as lines of a manifest; nil before it is compiled, and
  ///     where it says nothing.
  /// - Throws: `ManifestError` with every mistake, in the file in which the user made it.
  init(for source: ModuleSource, told: String? = nil) throws(ManifestError) {
    let texts = source.texts
    let shape = SourceAnalysis(texts)
    let told = try DescribedKeys(told, source)
    if FileManager.default.fileExists(atPath: source.manifestPath) {
      let written = try ManifestFile.text(atPath: source.manifestPath)
      self = try Self.completed(
        written, isInBraces: false, file: source.manifestPath, source, shape, told)
    } else if let index = texts.firstIndex(where: { SourceComment(in: $0) != nil }),
      let comment = SourceComment(in: texts[index])
    {
      self = try Self.completed(
        comment.text, isInBraces: comment.isInBraces, file: source.files[index], source, shape, told
      )
    } else {
      self = try Self.completed("", isInBraces: false, file: source.path, source, shape, told)
    }
  }

  private init(
    text: String, note: String?, flags: [String] = [], leavesAway: Bool = false,
    declaredKeys: Set<String> = []
  ) {
    self.declaredKeys = declaredKeys
    self.text = text
    self.note = note
    self.flags = flags
    self.leavesAway = leavesAway
  }

  // MARK: - What is left away

  private static func completed(
    _ written: String, isInBraces: Bool, file: String, _ source: ModuleSource,
    _ shape: SourceAnalysis,
    _ told: DescribedKeys
  ) throws(ManifestError) -> SourceManifest {
    var known: Set<String> = []
    var indentation = 0
    var flags: [String] = []
    if let root = try YAMLParser.parse(written, file: file) {
      guard case .mapping(let entries) = root.content else {
        // The reader says what is wrong with it.
        _ = try ModuleManifestReader.read(text: written, file: file)
        return SourceManifest(text: written, note: nil)
      }
      known = Set(entries.map(\.key))
      if file == source.manifestPath,
        let key = entries.first(where: { ["outboard", "connections"].contains($0.key) })
      {
        throw ManifestError(
          file,
          fault: .broken(
            rule: "this is a rig, but its name is that of the manifest of \(source.path). Rename"
              + " one of them."), position: key.keyPosition)
      }
      if case .text(let words, _)? = entries.first(where: { $0.key == "compiler_flags" })?.value
        .content
      {
        flags = words.split(separator: " ").map(String.init)
      }
      indentation = entries.first.map { $0.keyPosition.column - 1 } ?? 0
    }
    let missing = lines(source, shape, told).filter { !known.contains($0.key) }
    let text =
      isInBraces
      ? inserted(missing, into: written)
      : appended(missing, to: written, String(repeating: " ", count: indentation))
    // Read here, so that a mistake is told with the path that the user knows.
    _ = try ModuleManifestReader.read(text: text, file: file)
    return SourceManifest(
      text: text, note: told.isEmpty ? note(source, shape, known) : nil, flags: flags,
      leavesAway: !known.isSuperset(of: DescribedKeys.keys), declaredKeys: known)
  }

  /// What stands for each key that is left away.
  private static func lines(
    _ source: ModuleSource, _ shape: SourceAnalysis, _ told: DescribedKeys
  ) -> [(key: String, value: String)] {
    let name = source.name
    let safe = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    var lines = [
      ("abi", "\(ModuleManifestReader.knownABI)"), ("id", "source.\(safe)"),
      ("name", "\"\(quoted(name))\""), ("vendor", "unknown"),
      ("inputs", told["inputs"] ?? "\(shape.inputCount ?? usualChannelCount)"),
      ("outputs", told["outputs"] ?? "\(shape.outputCount ?? usualChannelCount)"),
    ]
    if let parameters = told["parameters"] {
      lines.append(("parameters", parameters))
    } else if told.isEmpty, !shape.parameters.isEmpty {
      let items = shape.parameters.map {
        "{symbol: \($0.symbol), name: \"\($0.name)\", minimum: 0, default: 0.5, maximum: 1}"
      }
      lines.append(("parameters", "[\(items.joined(separator: ", "))]"))
    }
    if shape.acceptsMIDI { lines.append(("midi", "true")) }
    return lines
  }

  private static let usualChannelCount = 2

  private static func inserted(_ lines: [(key: String, value: String)], into text: String) -> String
  {
    guard !lines.isEmpty, let brace = text.lastIndex(of: "}") else { return text }
    let before = text[..<brace]
    let isEmpty = before.last { !$0.isWhitespace } == "{"
    let added = lines.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    return before + (isEmpty ? "" : ", ") + added + text[brace...]
  }

  private static func appended(
    _ lines: [(key: String, value: String)], to text: String, _ indentation: String
  ) -> String {
    let added = lines.map { "\(indentation)\($0.key): \($0.value)\n" }.joined()
    return text.isEmpty || text.hasSuffix("\n") ? text + added : "\(text)\n\(added)"
  }

  /// Says what was guessed of what matters to the ear.
  private static func note(
    _ source: ModuleSource, _ shape: SourceAnalysis, _ known: Set<String>
  ) -> String? {
    guard !known.isSuperset(of: ["inputs", "outputs"]), !known.contains("parameters") else {
      return nil
    }
    let inputs = shape.inputCount ?? usualChannelCount
    let outputs = shape.outputCount ?? usualChannelCount
    let symbols = shape.parameters.map(\.symbol)
    let parameters =
      symbols.isEmpty
      ? "no parameters"
      : "the parameter\(symbols.count == 1 ? "" : "s") \(symbols.joined(separator: ", ")) from 0 to 1"
    return
      "\(source.path) has \(channels(inputs, "input")), \(channels(outputs, "output")) and"
      + " \(parameters), inferred from its code. To change this, add a comment such as `//"
      + " outboard: inputs: 1, outputs: 2`."
  }

  private static func channels(_ count: Int, _ word: String) -> String {
    count == 1 ? "1 \(word)" : "\(count) \(word)s"
  }

  /// As YAML's double quotes want it; of control characters it takes few.
  private static func quoted(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
          if scalar.properties.generalCategory == .control { return [" "] }
          return scalar == "\\" || scalar == "\"" ? ["\\", scalar] : [scalar]
        }))
  }
}
