// RigReader.swift: from a rig's manifest to its description. SPDX-License-Identifier: MIT

package import Manifests
package import PluginCatalogue
import PluginModel

/// Reads the manifest of a rig.
///
/// The format is described in `docs/reference/rigs.md`. All mistakes of a file are reported together.
package enum RigReader {
  /// The version of the rig format that this host supports.
  package static let knownVersion = 1

  /// Reads a rig; errors contain the path as it is passed here. [main]
  ///
  /// - Throws: `ManifestError` with every error in it.
  package static func read(path: String) throws(ManifestError) -> RigDescription {
    try read(text: ManifestFile.text(atPath: path), file: path)
  }

  /// Reads a rig, given its path, or its name if it is installed. [any]
  ///
  /// - Parameters:
  ///   - name: the path or name.
  ///   - formats: the plugin formats, whose sources are reported as such.
  /// - Returns: the rig.
  /// - Throws: every error in it; if there is no such rig, with the most similar installed one.
  package static func read(
    named name: String, _ formats: FormatRegistry
  ) throws(ManifestError) -> RigDescription {
    if formats.isSource(name) {
      throw ManifestError([
        Diagnostic(
          file: name, position: nil, keyPath: "",
          fault: .reported(
            message:
              "this is the source of a plugin, not a rig. Check it with `outboard validate \(name)`, or"
              + " play it with `outboard run \(name)`."))
      ])
    }
    do throws(ManifestError) {
      return try read(path: RigDirectories.path(of: name))
    } catch {
      guard error.diagnostics.first?.fault == .fileMissing, !name.contains("/") else { throw error }
      let bare = name.hasSuffix(".yaml") ? String(name.dropLast(5)) : name
      let names = RigDirectories.names
      let near = nearest(to: bare, among: names)
      guard near != nil || bare == name && !names.isEmpty else { throw error }
      throw ManifestError([
        Diagnostic(
          file: name, position: nil, keyPath: "",
          fault: .reported(
            message: "no such file or installed rig. "
              + (near.map { "Did you mean \($0)?" }
                ?? "Installed rigs: \(names.joined(separator: ", ")).")))
      ])
    }
  }

  /// Describes the rig from its manifest's text. [any]
  ///
  /// - Throws: `ManifestError` with every mistake in it.
  package static func read(text: String, file: String) throws(ManifestError) -> RigDescription {
    var rig = try read(text: text, file: file, nesting: NestedRigLoader())
    rig.text.value = text
    return rig
  }

  /// Reads a rig or nested rig with a loader that caches files.
  static func read(
    text: String, file: String, nesting: NestedRigLoader
  ) throws(ManifestError) -> RigDescription {
    guard let root = try YAMLParser.parse(text, file: file) else {
      throw ManifestError(file, fault: .fileEmpty(example: versionLine))
    }
    let diagnostics = DiagnosticCollector(file: file)
    var (rig, written) = describe(ManifestCursor(node: root, keyPath: "", diagnostics: diagnostics))
    nesting.insert(written, into: &rig, diagnostics)
    let mistakes = diagnostics.mistakes.inLineOrder + nesting.foreign
    guard mistakes.isEmpty else { throw ManifestError(inOrder: mistakes) }
    rig.notes = diagnostics.notes.inLineOrder + rig.notes
    return rig
  }

  private static let versionLine = "outboard: \(knownVersion)"

  private static let keys = [
    "outboard", "name", "description", "rate", "period", "periods", "input", "output", "wait",
    "dither", "midi", "transport", "feedback_suppression", "overload_protection", "dc_protection",
    "nodes",
    "connections", "automation", "scenes",
  ]

  private static func describe(_ cursor: ManifestCursor) -> (RigDescription, [NestedRigReference]) {
    let file = cursor.diagnostics.file
    var rig = RigDescription(file: file, name: fileStem(file))
    var written: [NestedRigReference] = []
    let expected = ExpectedValue(what: "a mapping of keys", example: versionLine)
    guard let fields = cursor.fields(known: keys, expected) else { return (rig, []) }
    checkVersion(fields)
    let name = ExpectedValue(what: "a name", example: "name: Voice")
    if let text = fields["name"]?.text(name) { rig.name = text }
    let summary = ExpectedValue(what: "text", example: "description: For the choir.")
    if let text = fields["description"]?.text(summary) { rig.summary = text }
    readStream(fields, into: &rig)
    if let midi = fields["midi"] { (rig.midi, rig.maps) = readMIDI(midi) }
    if let transport = fields["transport"] {
      (rig.transport, rig.clock) = readTransport(transport)
    }
    if let nodes = fields["nodes"] { (rig.nodes, written) = RigNodeReader.readNodes(nodes) }
    if let automation = fields["automation"] {
      rig.automation = RigAutomationReader.readAutomation(automation)
    }
    if let scenes = fields["scenes"] { rig.scenes = RigSceneReader.readScenes(scenes) }
    let example = "connections: [in -> out]"
    if let connections = fields.required("connections", example: example) {
      rig.connections = RigConnectionReader.readConnections(connections)
      RigValidator(rig: rig, rigs: written, fields: fields).run()
    }
    return (rig, written)
  }

  private static func checkVersion(_ fields: ManifestFields) {
    guard let cursor = fields.required("outboard", example: versionLine) else { return }
    let expected = ExpectedValue(what: "the format's version", example: versionLine)
    guard let version = cursor.number(expected), version != Double(knownVersion) else { return }
    cursor.report(
      .unknownVersion(
        statement: "the rig is of version \(plain(version))", known: "version \(knownVersion)"))
  }

  private static func readStream(_ fields: ManifestFields, into rig: inout RigDescription) {
    rig.sampleRateHz = fields["rate"]?.integer(
      in: StreamLimits.ratesHz, ExpectedValue(what: "a sample rate in Hz", example: "rate: 48000"))
    rig.periodFrames = fields["period"]?.integer(
      in: StreamLimits.periodFrames,
      ExpectedValue(what: "a whole number of frames", example: "period: 256"))
    rig.periodCount = fields["periods"]?.integer(
      in: StreamLimits.periodCounts,
      ExpectedValue(what: "a whole number of periods", example: "periods: 2"))
    rig.inputs = fields.field("input").map(readDevices) ?? []
    rig.outputs = fields.field("output").map(readDevices) ?? []
    rig.waitsForDevice = fields["wait"]?.boolean(example: "wait: true") ?? false
    rig.isDithered = fields["dither"]?.boolean(example: "dither: true") ?? false
    rig.suppressesFeedback =
      fields["feedback_suppression"]?.boolean(example: "feedback_suppression: off") ?? true
    rig.watchesDeadline =
      fields["overload_protection"]?.boolean(example: "overload_protection: off") ?? true
    rig.guardsAgainstOffset =
      fields["dc_protection"]?.boolean(example: "dc_protection: off") ?? true
  }

  /// Returns the file's name without directory and extension.
  private static func fileStem(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}
