// LV2Bundle.swift: the texts of an exported module's bundle. SPDX-License-Identifier: MIT

package import PluginModel

/// What the files of a bundle say that makes an LV2 plugin of a native module.
package struct LV2Bundle: Sendable {
  /// What there is in the module's library beside `process`.
  package struct Exports: Sendable {
    /// It delays.
    package var latency: Bool
    /// It can be saved, or restored.
    package var state: Bool
    /// It keeps variables outside of its instances, each of which then needs a copy of it.
    package var globals: Bool

    /// What is there.
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

  /// The name of the module's library in a bundle, which the shim knows.
  package static let moduleFile = "module.so"
  /// The name of the facts for the shim, which it knows.
  package static let factsFile = "module.metadata"

  /// The bundle of a module.
  ///
  /// - Parameters:
  ///   - module: its description; its kind is `module`.
  ///   - uri: what names the plugin; nil for one made of the id. It is legal: see `isLegal(uri:)`.
  ///   - exports: what its library can do.
  package init(_ module: PluginDescription, uri: String? = nil, exports: Exports) {
    self.module = module
    self.uri = uri ?? Self.uri(ofID: module.identifier)
    self.exports = exports
    requirements = module.module ?? ModuleRequirements()
  }

  /// What names the plugin. [any]
  package var pluginURI: String { uri }

  /// The URI of a module for which none is given. [any]
  package static func uri(ofID id: String) -> String { "urn:outboard:module:\(id)" }

  /// Whether a text names something for good: a scheme, and no character that URIs do not have. [any]
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

  /// As long as the shim reads it.
  private static let longestURIBytes = 2_048

  /// The name of the bundle, without `.lv2`, and of its files: the module's, in letters that any file
  /// system and any URI takes. [any]
  package var name: String {
    func safe(_ text: String) -> String {
      let letters = text.map { character in
        character.isASCII && (character.isLetter || character.isNumber || "_-".contains(character))
          ? character : "-"
      }
      return String(letters).split(separator: "-").joined(separator: "-")
    }
    let name = safe(module.name)
    // The facts and the module's library have names already.
    return name.isEmpty || name == "module" || name == "manifest"
      ? safe("outboard-\(module.identifier)") : name
  }

  /// `manifest.ttl`: what hosts read of every bundle. [any]
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

  /// `NAME.ttl`: all that is said of the plugin. [any]
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
        // The vocabulary of projects gives only those a maintainer.
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

  /// The summary, and a licence that has no URI.
  private var comment: [String] {
    let isNamed = LicenseURI.uri(of: module.licence) != nil || module.licence.isEmpty
    let lines = [module.summary, isNamed ? "" : "Licence: \(module.licence)"]
    let text = lines.filter { !$0.isEmpty }.joined(separator: "\n")
    return text.isEmpty ? [] : [Turtle.string(text)]
  }

  /// Files are part of the state, and are loaded by the host's worker.
  private var extensionData: [String] {
    (hasState ? ["state:interface"] : []) + (takesFiles ? ["work:interface"] : [])
  }

  private var hasState: Bool { exports.state || takesFiles }

  /// Without numbers for URIs there is neither MIDI nor a state of the module's; it does without files.
  private var needsMap: Bool { module.acceptsMIDI || exports.state }

  private var optionalFeatures: [String] {
    // No lv2:inPlaceBroken: the shim copies what an output would overwrite, and Ardour takes no plugin that says it.
    var features = ["lv2:hardRTCapable"]
    if !needsMap { features.append("urid:map") }
    features += ["opts:options", "bufsz:boundedBlockLength", "log:log"]
    if isReblocked { features.append("bufsz:fixedBlockLength") }
    if hasState { features.append("state:threadSafeRestore") }
    if takesFiles { features.append("work:schedule") }
    return features
  }

  /// Whether frames may have to be collected, which is a delay.
  var isReblocked: Bool {
    switch requirements.block {
    case .any, .maximum: false
    case .fixed, .multiple: true
    }
  }

  /// Whether there is a port for the delay.
  var reportsLatency: Bool { exports.latency || isReblocked }
}
