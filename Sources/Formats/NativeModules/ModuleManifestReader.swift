// ModuleManifestReader.swift: from a module's manifest to its description. SPDX-License-Identifier: MIT

package import Manifests
import ModuleHost
package import PluginModel

/// Reads the manifest of a native module.
///
/// The format is described in `docs/reference/modules.md`. All mistakes of a file are reported together.
package enum ModuleManifestReader {
  /// The version of the module ABI that this host supports.
  package static let knownABI = 1

  /// Reads a module manifest; the caller fills in `library` and `location`. [main]
  ///
  /// Errors contain the path as it is passed here.
  /// - Throws: `ManifestError` with every error in the file.
  package static func read(path: String) throws(ManifestError) -> PluginDescription {
    try read(text: ManifestFile.text(atPath: path), file: path)
  }

  /// Describes the module from its manifest's text. [any]
  ///
  /// - Throws: `ManifestError` with every mistake in it.
  package static func read(
    text: String, file: String
  ) throws(ManifestError) -> PluginDescription {
    guard let root = try YAMLParser.parse(text, file: file) else {
      throw ManifestError(file, fault: .fileEmpty(example: "abi: 1"))
    }
    let diagnostics = DiagnosticCollector(file: file)
    let cursor = ManifestCursor(node: root, keyPath: "", diagnostics: diagnostics)
    let description = describe(cursor)
    try diagnostics.throwIfErrors()
    return description
  }

  private static let keys = [
    "abi", "id", "name", "vendor", "license", "category", "description", "inputs", "outputs",
    "parameters", "readouts", "files", "presets", "block", "rate", "midi", "in_place",
    "single_instance", "compiler_flags",
  ]

  private static func describe(_ cursor: ManifestCursor) -> PluginDescription {
    var description = PluginDescription(
      kind: .module, identifier: "", name: "", format: .module)
    let expected = ExpectedValue(what: "a mapping of keys", example: "abi: 1")
    guard let fields = cursor.fields(known: keys, expected) else { return description }
    checkABI(fields)
    readWords(of: fields, into: &description)
    description.audioInputs = readPorts(
      fields.required("inputs", example: "inputs: 2"), suffix: "in")
    description.audioOutputs = readPorts(
      fields.required("outputs", example: "outputs: 2"), suffix: "out")
    checkPorts(description, fields)
    var module = ModuleRequirements()
    let errorCount = cursor.diagnostics.mistakes.count
    if let list = fields["parameters"] {
      (description.parameters, module.smoothingSeconds) = readParameters(list)
    }
    let areParametersKnown =
      cursor.diagnostics.mistakes.count == errorCount && !fields.isMisspelt("parameters")
    if let list = fields["readouts"] { description.readouts = readReadouts(list) }
    if let list = fields["files"] { description.properties = readFiles(list) }
    checkNames(description, fields)
    if let list = fields["presets"] {
      // Otherwise the presets would seem to have unknown parameters.
      description.presets = readPresets(list, areParametersKnown ? description.parameters : nil)
    }
    if let block = fields["block"] { module.block = readBlock(block) }
    if let rate = fields["rate"] { module.ratesHz = readRates(rate) }
    module.canRunInPlace = fields["in_place"]?.boolean(example: "in_place: true") ?? false
    module.isSingle = fields["single_instance"]?.boolean(example: "single_instance: true") ?? false
    // Used by the compiler.
    _ = fields["compiler_flags"]?.text(
      ExpectedValue(what: "flags", example: "compiler_flags: -Iinclude -lsndfile"))
    description.acceptsMIDI = fields["midi"]?.boolean(example: "midi: true") ?? false
    description.module = module
    return description
  }

  // MARK: - Heading

  private static func checkABI(_ fields: ManifestFields) {
    guard let cursor = fields.required("abi", example: "abi: \(knownABI)") else { return }
    let expected = ExpectedValue(what: "the contract's version", example: "abi: \(knownABI)")
    guard let version = cursor.number(expected), version != Double(knownABI) else { return }
    cursor.report(
      .unknownVersion(
        statement: "the manifest says abi: \(plain(version))", known: "abi \(knownABI)"))
  }

  private static func readWords(
    of fields: ManifestFields, into description: inout PluginDescription
  ) {
    let identifier = ExpectedValue(what: "an id", example: "id: vendor.reverb")
    if let cursor = fields.required("id", example: identifier.example),
      let text = cursor.text(identifier)
    {
      if text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }) {
        description.identifier = text
      } else {
        cursor.report(
          .broken(
            rule: "\"\(text.shortened)\" is not a valid id. Use letters, digits, \".\", \"-\""
              + " and \"_\". Example: \"vendor.reverb\"."))
      }
    }
    let name = ExpectedValue(what: "a name", example: "name: Reverb")
    description.name = fields.required("name", example: name.example)?.text(name) ?? ""
    func word(_ key: String, _ example: String) -> String {
      fields[key]?.text(ExpectedValue(what: "text", example: "\(key): \(example)")) ?? ""
    }
    description.maker = word("vendor", "Jane Doe")
    description.licence = word("license", "MIT")
    description.category = word("category", "Reverb")
    description.summary = word("description", "A large hall.")
  }

  // MARK: - Block

  private static func readBlock(_ cursor: ManifestCursor) -> ModuleRequirements.Block {
    let expected = ExpectedValue(what: "one requirement", example: "block: {fixed: 480}")
    let known = ["fixed", "multiple_of", "maximum"]
    guard let fields = cursor.fields(known: known, expected) else { return .any }
    let given = fields.fields.filter { known.contains($0.key) }
    if given.count > 1 {
      given[1].report(.conflictingKeys(first: given[0].key, second: given[1].key))
    }
    guard let field = given.first else {
      if fields.fields.isEmpty {
        cursor.report(
          .wrongType(found: "nothing", expected: expected.what, example: expected.example))
      }
      return .any
    }
    let frames = ExpectedValue(
      what: "a whole number of frames", example: "block: {\(field.key): 480}")
    guard let count = field.value.integer(in: ModuleRequirements.blockFrames, frames) else {
      return .any
    }
    switch field.key {
    case "fixed": return .fixed(frameCount: count)
    case "multiple_of": return .multiple(of: count)
    default: return .maximum(frameCount: count)
    }
  }

  // MARK: - Rate

  /// One rate or a list of them, in Hz, ascending.
  private static func readRates(_ cursor: ManifestCursor) -> [Int] {
    let expected = ExpectedValue(what: "a whole number of Hz", example: "rate: 48000")
    var cursors = [cursor]
    if case .list = cursor.node.content { cursors = cursor.items(expected) ?? [] }
    guard !cursors.isEmpty else {
      cursor.report(
        .wrongType(found: "nothing", expected: expected.what, example: expected.example))
      return []
    }
    return Set(cursors.compactMap { $0.integer(in: ModuleRequirements.rateHz, expected) }).sorted()
  }
}
