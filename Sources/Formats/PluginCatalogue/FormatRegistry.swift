// FormatRegistry.swift: the plugin formats of a program. SPDX-License-Identifier: MIT

package import PluginModel

/// The plugin formats that a program has.
package struct FormatRegistry: Sendable {
  /// The formats, in the order in which they are asked; their sources take precedence in this order.
  package var formats: [any PluginFormat]
  /// Describes the paths that no other format does, if only to say what is wrong.
  private let fallback: any PluginFormat

  /// A registry of formats.
  ///
  /// - Parameters:
  ///   - formats: all formats.
  ///   - fallback: the one that describes all other paths.
  package init(_ formats: [any PluginFormat], otherPaths fallback: any PluginFormat) {
    self.formats = formats
    self.fallback = fallback
  }

  /// Returns the format that describes a path, URI or word itself; nil for names in the catalogue. [any]
  package func format(describing name: String) -> (any PluginFormat)? {
    if isPath(name) { return formats.first { $0.describes(path: name) } ?? fallback }
    return formats.first { $0.words.contains(name) || $0.hasScheme(of: name) }
  }

  /// Whether a name is a path: it has a slash, or an extension of a format, and no scheme. [any]
  package func isPath(_ name: String) -> Bool {
    guard !isURI(name) else { return false }
    return name.contains("/") || formats.contains { $0.describes(path: name) }
  }

  /// Whether a path is that of a file of code, which a format compiles. [any]
  package func isSource(_ path: String) -> Bool { formats.contains { $0.compiles(path: path) } }

  private func isURI(_ name: String) -> Bool {
    name.contains("://") || name.hasPrefix("urn:") || formats.contains { $0.hasScheme(of: name) }
  }

  /// Returns the formats of a kind. [any]
  package func formats(of kind: PluginKind) -> [any PluginFormat] {
    formats.filter { $0.kind == kind }
  }

  /// The kinds of installed plugins, sorted by name. [any]
  package var installedKinds: [PluginKind] {
    Set(formats.filter { $0.source != nil }.map(\.kind)).sorted { $0.rawValue < $1.rawValue }
  }

  /// The sources of installed plugins. [any]
  package var sources: [PluginSource] { formats.compactMap(\.source) }

  /// Runs the helper command with an argument and exits; returns if no format has it. [main]
  package func runHelper(_ argument: String) {
    formats.flatMap(\.helpers).first { $0.argument == argument }?.run()
  }
}

extension PluginFormat {
  fileprivate func hasScheme(of name: String) -> Bool {
    schemes.contains { name.hasPrefix($0 + ":") }
  }
}
