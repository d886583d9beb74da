// ProjectFormat.swift: the protocol of all formats that can be imported, and their registry.
// SPDX-License-Identifier: MIT

/// A format of projects or presets of another host.
package protocol ProjectFormat: Sendable {
  /// Whether a file or directory has this format, judged by its content.
  static func recognises(_ source: ProjectSource) -> Bool

  /// Reads a project of this format.
  ///
  /// - Throws: `ImportError`, or `ManifestError` if another file of the project cannot be read.
  static func read(_ source: ProjectSource) throws -> ForeignProject
}

/// The formats that can be imported.
package enum ProjectFormats {
  /// All formats; a new format is a line here.
  package static let all: [any ProjectFormat.Type] = [
    CarlaProject.self, Pedalboard.self, LV2Preset.self, EasyEffectsPreset.self,
    FilterChainConfiguration.self,
    ModHostCommands.self, EcasoundChains.self,
  ]

  /// Reads a project, whose format is recognised by its content. [any]
  ///
  /// - Throws: `ImportError`, or `ManifestError` if a file cannot be read.
  package static func read(path: String) throws -> ForeignProject {
    try read(ProjectSource(path: path))
  }

  /// Reads a project; see above. [any]
  package static func read(_ source: ProjectSource) throws -> ForeignProject {
    guard let format = all.first(where: { $0.recognises(source) }) else {
      let isRig = source.text.split(whereSeparator: \.isNewline).contains {
        $0.hasPrefix("nodes:") || $0.hasPrefix("connections:")
      }
      if isRig { throw ImportError.isRig(path: source.path) }
      throw source.entries == nil
        ? ImportError.unknownFormat(path: source.path)
        : ImportError.emptyDirectory(path: source.path)
    }
    let project = try format.read(source)
    // Mixers and delays of PipeWire are connections, and gains of ecasound, too.
    let hasGain = project.chainGains.contains { $0 != 1 }
    guard !project.nodes.isEmpty || !project.connections.isEmpty || hasGain else {
      throw ImportError.nothing(path: source.path, format: project.format)
    }
    return project
  }
}
