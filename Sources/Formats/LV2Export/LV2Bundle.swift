// LV2Bundle.swift: the Turtle files of an exported module. SPDX-License-Identifier: MIT

package import PluginModel

/// The contents of an LV2 bundle for a native module.
package struct LV2Bundle: Sendable {
  /// The optional functions that the module's library exports.
  package struct Exports: Sendable {
    /// Whether the module reports a latency.
    package var latency: Bool
    /// Whether the module exports `save` and `restore`.
    package var state: Bool
    /// Whether the module has global variables, so that each instance needs a copy of the library.
    package var globals: Bool

    /// Creates a set of exports.
    package init(latency: Bool = false, state: Bool = false, globals: Bool = false) {
      self.latency = latency
      self.state = state
      self.globals = globals
    }
  }

  let module: PluginDescription
  let requirements: ModuleRequirements
  let uri: String
  let exports: Exports

  /// The name of the module's library in a bundle; the shim knows it.
  package static let moduleFile = "module.so"
  /// The name of the metadata file; the shim knows it.
  package static let metadataFile = "module.metadata"

  /// Creates the bundle of a module.
  ///
  /// - Parameters:
  ///   - module: its description; its kind is `module`.
  ///   - uri: the plugin's URI; nil to derive it from the id. It must be legal, see `isLegal(uri:)`.
  ///   - exports: the functions that its library exports.
  package init(_ module: PluginDescription, uri: String? = nil, exports: Exports) {
    self.module = module
    self.uri = uri ?? Self.uri(ofID: module.identifier)
    self.exports = exports
    requirements = module.module ?? ModuleRequirements()
  }

  /// The URI of the plugin. [any]
  package var pluginURI: String { uri }

  /// Returns the default URI of a module. [any]
  package static func uri(ofID id: String) -> String { "urn:outboard:module:\(id)" }

  /// Whether a text is a URI with a scheme and legal characters. [any]
  package static func isLegal(uri: String) -> Bool {
    guard let colon = uri.firstIndex(of: ":"), uri.utf8.count <= longestURIBytes else {
      return false
    }
    let scheme = uri[..<colon]
    let isScheme =
      scheme.first?.isLetter == true
      && scheme.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
    let isLegal = uri.unicodeScalars.allSatisfy {
      (0x21 ... 0x7e).contains($0.value) && !"<>\"{}|\\^`".unicodeScalars.contains($0)
    }
    return isScheme && isLegal && uri[uri.index(after: colon)...].contains { $0 != "/" }
  }

  /// The maximum length that the shim reads.
  private static let longestURIBytes = 2_048

  /// The name of the bundle, without `.lv2`, and of its files: the module's name in characters that all file
  /// systems and URIs allow. [any]
  package var name: String {
    func safe(_ text: String) -> String {
      let letters = text.map { character in
        character.isASCII && (character.isLetter || character.isNumber || "_-".contains(character))
          ? character : "-"
      }
      return String(letters).split(separator: "-").joined(separator: "-")
    }
    let name = safe(module.name)
    // The metadata and the library have fixed names.
    return name.isEmpty || name == "module" || name == "manifest"
      ? safe("outboard-\(module.identifier)") : name
  }

  /// Returns `manifest.ttl`. [any]
  package var manifest: String {
    Turtle.file(
      [
        Turtle.statement(
          Turtle.resource(uri),
          [
            ("a", classes), ("lv2:binary", ["<\(name).so>"]), ("rdfs:seeAlso", ["<\(name).ttl>"]),
          ])
      ] + module.presets.indices.map(presetHeading))
  }

  /// Returns `NAME.ttl`, the description of the plugin. [any]
  package var description: String {
    let groups = PortGroup.groups(of: self)
    let statements = groups.map(\.statement) + fileStatements + [plugin(groups)]
    return Turtle.file(statements)
  }

  // MARK: - The plugin

  private func plugin(_ groups: [PortGroup]) -> String {
    let ports = PortWriter(self, groups).ports
    return Turtle.statement(
      Turtle.resource(uri),
      [
        // In the vocabulary only projects have a maintainer.
        ("a", classes + ["doap:Project"]),
        ("doap:name", [Turtle.string(module.name)]),
        ("doap:license", LicenseURI.uri(of: module.licence).map { [Turtle.resource($0)] } ?? []),
        ("doap:maintainer", maker), ("rdfs:comment", comment),
        ("lv2:minorVersion", ["1"]), ("lv2:microVersion", ["0"]),
        ("lv2:requiredFeature", needsMap ? ["urid:map"] : []),
        ("lv2:optionalFeature", optionalFeatures),
        ("opts:supportedOption", ["bufsz:minBlockLength", "bufsz:maxBlockLength"]),
        ("lv2:extensionData", extensionData),
        ("patch:writable", fileResources),
        ("pg:mainInput", groups.filter { $0.isMain && $0.isInput }.map(\.resource)),
        ("pg:mainOutput", groups.filter { $0.isMain && !$0.isInput }.map(\.resource)),
        ("lv2:port", ports),
      ])
  }

  private var classes: [String] {
    let wanted = module.category.lowercased()
    let name = LV2Category.className(of: wanted)
    return ["lv2:Plugin"] + (name.map { ["lv2:\($0)"] } ?? [])
  }

  private var maker: [String] {
    guard !module.maker.isEmpty else { return [] }
    return [
      Turtle.shortBlank([("a", ["foaf:Agent"]), ("foaf:name", [Turtle.string(module.maker)])])
    ]
  }

  /// The description, and a licence without a URI.
  private var comment: [String] {
    let isNamed = LicenseURI.uri(of: module.licence) != nil || module.licence.isEmpty
    let lines = [module.summary, isNamed ? "" : "Licence: \(module.licence)"]
    let text = lines.filter { !$0.isEmpty }.joined(separator: "\n")
    return text.isEmpty ? [] : [Turtle.string(text)]
  }

  /// Files are part of the state, and the host's worker loads them.
  private var extensionData: [String] {
    (hasState ? ["state:interface"] : []) + (acceptsFiles ? ["work:interface"] : [])
  }

  private var hasState: Bool { exports.state || acceptsFiles }

  /// MIDI and state need URIDs; a module works without files.
  private var needsMap: Bool { module.acceptsMIDI || exports.state }

  private var optionalFeatures: [String] {
    // No lv2:inPlaceBroken: the shim copies inputs that an output would overwrite, and Ardour rejects such plugins.
    var features = ["lv2:hardRTCapable"]
    if !needsMap { features.append("urid:map") }
    features += ["opts:options", "bufsz:boundedBlockLength", "log:log"]
    if isReblocked { features.append("bufsz:fixedBlockLength") }
    if hasState { features.append("state:threadSafeRestore") }
    if acceptsFiles { features.append("work:schedule") }
    return features
  }

  /// Whether re-blocking may be needed, which adds latency.
  var isReblocked: Bool {
    switch requirements.block {
    case .any, .maximum: false
    case .fixed, .multiple: true
    }
  }

  /// Whether the plugin has a latency port.
  var reportsLatency: Bool { exports.latency || isReblocked }
}
