// BuiltPlugin.swift: plugins that a format builds from files of the user. SPDX-License-Identifier: MIT

package import ErrorModel
package import PluginModel

/// A description of a plugin that was named by its path, URI or word.
package struct DescribedPlugin {
  /// The description.
  package let plugin: PluginDescription
  /// The build, if the format built the plugin from files that may change.
  package let build: (any BuiltPlugin)?

  /// An existing plugin.
  package init(_ plugin: PluginDescription) { (self.plugin, build) = (plugin, nil) }

  /// A built plugin.
  package init(_ build: any BuiltPlugin) { (plugin, self.build) = (build.plugin, build) }
}

/// A plugin that was built from files of the user, and is built again when they change.
package protocol BuiltPlugin: Sendable {
  /// The description; its `location` identifies the build.
  var plugin: PluginDescription { get }
  /// The path of the files as the user wrote it.
  var path: String { get }
  /// The absolute path, which identifies the files.
  var absolutePath: String { get }
  /// A note about inferred values; nil if there is none.
  var note: String? { get }
  /// When the newest of its files was saved, in seconds since 1970; nil if unknown. [any]
  var savedSeconds: Double? { get }
  /// The behaviour during preflight; empty if it was not tested. [main]
  var traits: Preflight.Traits { get }
  /// Returns a message about the build as a message about the files. [any]
  func replacingLibraryPath(_ message: String) -> String
  /// Runs preflight in a helper process; returns why it failed (nil if it passed), and notes. [main]
  ///
  /// Calls `onSlow` once if the preflight takes long.
  func preflight(
    at conditions: Preflight.Conditions, onSlow: (() -> Void)?
  ) -> (refusal: String?, remarks: [String])
  /// Watches the files and builds again on another thread. [main]
  ///
  /// - Parameters:
  ///   - configuration: the conditions of use.
  ///   - onUpdate: called on another thread when `takeUpdate` has a result.
  /// - Returns: the follower; nil if the system has no more watches.
  func follow(
    in configuration: NodeConfiguration, onUpdate: @escaping @Sendable () -> Void
  ) -> (any BuildFollower)?
}

/// Watches the files of a built plugin.
package protocol BuildFollower: Sendable {
  /// The path of the files as the user wrote it.
  var path: String { get }
  /// The absolute path, which identifies the files.
  var absolutePath: String { get }
  /// Returns the result of the last change, once. [any]
  func takeUpdate() -> BuildUpdate?
  /// Stops watching. [any]
  func stop()
}

/// The result of a change of files.
package enum BuildUpdate: Sendable {
  /// The plugin was built, and preflight is running.
  ///
  /// The previous build stays active.
  case trying
  /// The plugin passed preflight and can be used; contains the time of the change in seconds since 1970, and notes.
  case ready(any BuiltPlugin, savedSeconds: Double, remarks: [String])
  /// The plugin cannot be used; contains the reason.
  ///
  /// The previous build stays active.
  case failed(message: String, kind: ErrorKind)
  /// After a failure, the files equal those of the active build again.
  case unchanged
}
