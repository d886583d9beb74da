// PluginFormat.swift: the protocol of every plugin format. SPDX-License-Identifier: MIT

package import PluginModel

/// A plugin format: finds, describes, tries and creates plugins of one kind.
///
/// Catalogue, planner, sessions and presets see formats only through this protocol. All members but `kind` have
/// defaults; a capability that a format lacks is nil or empty. `docs/internals/formats.md` shows how to add a format.
package protocol PluginFormat: Sendable {
  /// The kind of its plugins.
  var kind: PluginKind { get }
  /// The extensions of the paths that it describes, without a dot.
  var extensions: [String] { get }
  /// The schemes of the URIs that it describes itself, without a colon; the catalogue resolves all others.
  var schemes: [String] { get }
  /// Other names that it describes itself.
  var words: [String] { get }
  /// Whether this format describes the plugin at a path. [any]
  func describes(path: String) -> Bool
  /// Whether a path is that of a file of code, which it compiles. [any]
  func compiles(path: String) -> Bool

  /// The installed plugins: how to scan them, and to try them in a helper process; nil if none are installed.
  var source: PluginSource? { get }
  /// Returns the source for results about a plugin that was named by its path. [main]
  ///
  /// - Parameters:
  ///   - plugin: a plugin that `describe` returned.
  ///   - isListed: whether the catalogue has the plugin from the same location; slow.
  /// - Returns: a source of that plugin alone; nil for `source`.
  func source(of plugin: PluginDescription, isListed: () -> Bool) -> PluginSource?

  /// Describes the plugin with a path, URI or word of this format. [main]
  ///
  /// - Throws: any error with a message for the user.
  func describe(_ name: String, in context: FormatContext) throws -> DescribedPlugin

  /// Creates an object that creates nodes; nil if another format creates those of its kind. [main]
  func makeLoader() -> (any PluginLoader)?

  /// Lists and stores presets; nil if its plugins have none.
  var presets: (any PresetFormat)? { get }

  /// The commands for helper processes.
  var helpers: [FormatHelper] { get }

  /// Directories that its plugins may read in a sandbox besides their own files, as absolute paths. [any]
  var sharedDirectories: [String] { get }

  /// Whether its plugins run in the process of a session unless there is another reason to isolate them. [any]
  var isTrusted: Bool { get }
}

extension PluginFormat {
  /// Default: none.
  package var extensions: [String] { [] }
  /// Default: none.
  package var schemes: [String] { [] }
  /// Default: none.
  package var words: [String] { [] }
  /// Whether the path has one of `extensions`. [any]
  package func describes(path: String) -> Bool {
    extensions.contains { path.hasSuffix("." + $0) }
  }
  /// False: it compiles nothing. [any]
  package func compiles(path: String) -> Bool { false }
  /// No source: the format has no installed plugins.
  package var source: PluginSource? { nil }
  /// Nil: all are in the catalogue.
  package func source(of plugin: PluginDescription, isListed: () -> Bool) -> PluginSource? { nil }
  /// Throws, because the catalogue describes all its plugins. [main]
  ///
  /// - Throws: `CatalogueError.unknown`.
  package func describe(_ name: String, in context: FormatContext) throws -> DescribedPlugin {
    throw CatalogueError.unknown(name: name, nearest: [])
  }
  /// Nil: it creates no nodes.
  package func makeLoader() -> (any PluginLoader)? { nil }
  /// The presets in the descriptions.
  package var presets: (any PresetFormat)? { DescribedPresets() }
  /// Default: none.
  package var helpers: [FormatHelper] { [] }
  /// Default: none.
  package var sharedDirectories: [String] { [] }
  /// True.
  package var isTrusted: Bool { true }
}

/// The parts of the plugin library that a format may use.
package struct FormatContext {
  /// The installed plugins, with the command for helper processes and the directory of the cache.
  package let catalogue: Catalogue
  /// Whether code is compiled for any CPU of this type, not only for this one.
  package let compilesPortably: Bool

  /// A context of a library.
  package init(catalogue: Catalogue, compilesPortably: Bool) {
    (self.catalogue, self.compilesPortably) = (catalogue, compilesPortably)
  }
}

/// Creates the nodes of one format, and keeps what its instances share. [main]
package protocol PluginLoader: AnyObject {
  /// Creates an instance with the default values of the description.
  ///
  /// - Parameters:
  ///   - plugin: the description.
  ///   - configuration: the sample rate and the longest block.
  ///   - traits: the behaviour of the plugin during preflight, which the node must report.
  /// - Returns: the instance, not active.
  /// - Throws: any error with a message for the user.
  func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration, _ traits: Preflight.Traits
  ) throws -> any Node
  /// Whether instances would share variables, so that each gets a copy of the library.
  func sharesVariables(_ plugin: PluginDescription) -> Bool
  /// Removes a plugin that no longer exists; its nodes stay valid.
  func evict(_ plugin: PluginDescription)
}

extension PluginLoader {
  /// False.
  package func sharesVariables(_ plugin: PluginDescription) -> Bool { false }
  /// Does nothing.
  package func evict(_ plugin: PluginDescription) {}
}

/// Presets of a format.
package protocol PresetFormat: Sendable {
  /// Lists the presets of a plugin; nil if they cannot be read. [main]
  func list(of plugin: PluginDescription, in context: FormatContext) -> [PluginPreset]?
  /// Returns the values of a preset; nil if it contains more than values of parameters. [any one thread]
  ///
  /// - Throws: if the preset cannot be read.
  func values(
    of preset: PluginPreset, of plugin: PluginDescription
  ) throws -> [ParameterPreset.Value]?
  /// The location for new presets; nil if they cannot be saved.
  var storage: PresetStorage? { get }
}

/// The presets in the descriptions of plugins.
package struct DescribedPresets: PresetFormat {
  /// Presets that cannot be saved.
  package init() {}
  /// Returns those of the description. [any]
  package func list(of plugin: PluginDescription, in context: FormatContext) -> [PluginPreset]? {
    plugin.presets.map {
      PluginPreset(identifier: $0.name, name: $0.name, location: plugin.location)
    }
  }
  /// Returns the values of the description; parameters without one get their default. [any]
  package func values(
    of preset: PluginPreset, of plugin: PluginDescription
  ) -> [ParameterPreset.Value]? {
    let values = plugin.presets.first { $0.name == preset.name }?.values ?? []
    return plugin.parameters.enumerated().map { index, parameter in
      values.last { $0.parameter == index }
        ?? ParameterPreset.Value(parameter: index, value: parameter.defaultValue)
    }
  }
  /// Nil.
  package var storage: PresetStorage? { nil }
}

/// The location of new presets, one directory or file per preset.
package struct PresetStorage: Sendable {
  /// The directory.
  package var directory: String
  /// The end of their names.
  package var ending: String
  /// The path below a preset that identifies it; empty for the preset itself.
  package var file: String

  /// A location for presets.
  package init(directory: String, ending: String, file: String = "") {
    (self.directory, self.ending, self.file) = (directory, ending, file)
  }
}

/// A command for a helper process of this program.
package struct FormatHelper: Sendable {
  /// The start of every argument.
  package static let prefix = "--helper-"
  /// The hidden first argument, which starts with `prefix`.
  package let argument: String
  /// Answers requests and exits. [main, in the child]
  package let run: @Sendable () -> Never

  /// A command for an argument.
  package init(argument: String, run: @escaping @Sendable () -> Never) {
    (self.argument, self.run) = (argument, run)
  }
}
