// SourceManifest.swift: the manifest of a source module. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import ModuleBuild
import NativeModules

/// The manifest of a source module.
///
/// Keys in a `.yaml` file next to the source, or in a comment that starts with `outboard:`, are used as they are.
/// Missing keys are inferred from the code, or have defaults: stereo, without parameters.
struct SourceManifest {
  /// The complete manifest.
  let text: String
  /// A note about inferred values, which can be wrong; nil if all keys are given.
  let note: String?
  /// The value of `compiler_flags`.
  let flags: [String]
  /// Whether channels or parameters are missing, so that the compiled code must report them.
  let omitsRequired: Bool
  /// The keys that the user has written.
  let declaredKeys: Set<String>

  /// Reads or infers the manifest of a source. [any]
  ///
  /// - Parameters:
  ///   - source: the source.
  ///   - described: the description that the compiled code reports, as manifest lines; nil before compilation, and if the
  /// code reports nothing.
  /// - Throws: `ManifestError` with all errors, in the file of the user.
  init(for source: ModuleSource, described: String? = nil) throws(ManifestError) {
    let texts = source.texts
    let shape = SourceAnalysis(texts)
    let described = try DescribedKeys(described, source)
    if FileManager.default.fileExists(atPath: source.manifestPath) {
      let written = try ManifestFile.text(atPath: source.manifestPath)
      self = try Self.completed(
        written, isInBraces: false, file: source.manifestPath, source, shape, described)
    } else if let index = texts.firstIndex(where: { SourceComment(in: $0) != nil }),
      let comment = SourceComment(in: texts[index])
    {
      if let line = SourceComment.secondLine(in: texts[index]) {
        throw ManifestError(
          source.files[index],
          fault: .broken(
            rule: "this is a second manifest comment. Move its keys to the first one, as in"
              + " `// outboard: inputs: 1, outputs: 2`."),
          position: SourcePosition(line: line, column: 1))
      }
      self = try Self.completed(
        comment.text, isInBraces: comment.isInBraces, file: source.files[index], source, shape,
        described
      )
    } else {
      self = try Self.completed("", isInBraces: false, file: source.path, source, shape, described)
    }
  }

  private init(
    text: String, note: String?, flags: [String] = [], omitsRequired: Bool = false,
    declaredKeys: Set<String> = []
  ) {
    self.declaredKeys = declaredKeys
    self.text = text
    self.note = note
    self.flags = flags
    self.omitsRequired = omitsRequired
  }

  // MARK: - Missing keys

  private static func completed(
    _ written: String, isInBraces: Bool, file: String, _ source: ModuleSource,
    _ shape: SourceAnalysis,
    _ described: DescribedKeys
  ) throws(ManifestError) -> SourceManifest {
    var known: Set<String> = []
    var indentation = 0
    var flags: [String] = []
    if let root = try YAMLParser.parse(written, file: file) {
      guard case .mapping(let entries) = root.content else {
        // The reader reports the error.
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
    let missing = lines(source, shape, described).filter { !known.contains($0.key) }
    let text =
      isInBraces
      ? inserted(missing, into: written)
      : appended(missing, to: written, String(repeating: " ", count: indentation))
    // Read here, so that an error has the path that the user knows.
    _ = try ModuleManifestReader.read(text: text, file: file)
    return SourceManifest(
      text: text, note: described.isEmpty ? note(source, shape, known) : nil, flags: flags,
      omitsRequired: !known.isSuperset(of: DescribedKeys.keys), declaredKeys: known)
  }

  /// Returns the values of missing keys.
  private static func lines(
    _ source: ModuleSource, _ shape: SourceAnalysis, _ described: DescribedKeys
  ) -> [(key: String, value: String)] {
    let name = source.name
    let safe = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    var lines = [
      ("abi", "\(ModuleManifestReader.knownABI)"), ("id", "source.\(safe)"),
      ("name", "\"\(quoted(name))\""), ("vendor", "unknown"),
      ("inputs", described["inputs"] ?? "\(shape.inputCount ?? defaultChannelCount)"),
      ("outputs", described["outputs"] ?? "\(shape.outputCount ?? defaultChannelCount)"),
    ]
    if let parameters = described["parameters"] {
      lines.append(("parameters", parameters))
    } else if described.isEmpty, !shape.parameters.isEmpty {
      let items = shape.parameters.map {
        "{symbol: \($0.symbol), name: \"\($0.name)\", minimum: 0, default: 0.5, maximum: 1}"
      }
      lines.append(("parameters", "[\(items.joined(separator: ", "))]"))
    }
    if let readouts = described["readouts"] { lines.append(("readouts", readouts)) }
    if shape.acceptsMIDI { lines.append(("midi", "true")) }
    return lines
  }

  private static let defaultChannelCount = 2

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

  /// Returns the note about inferred values.
  private static func note(
    _ source: ModuleSource, _ shape: SourceAnalysis, _ known: Set<String>
  ) -> String? {
    guard !known.isSuperset(of: ["inputs", "outputs"]), !known.contains("parameters") else {
      return nil
    }
    let inputs = shape.inputCount ?? defaultChannelCount
    let outputs = shape.outputCount ?? defaultChannelCount
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

  /// Escapes text for double quotes in YAML, without most control characters.
  private static func quoted(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
          if scalar.properties.generalCategory == .control { return [" "] }
          return scalar == "\\" || scalar == "\"" ? ["\\", scalar] : [scalar]
        }))
  }
}
