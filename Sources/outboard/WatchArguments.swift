// WatchArguments.swift: which files a session watches. SPDX-License-Identifier: MIT

import ArgumentParser
import PluginLoading
import Session

/// The options that reload files during a session.
struct WatchArguments: ParsableArguments {
  @Flag(help: "Reload the rig file when it changes.")
  var watch = false
  @Flag(help: "Reload LV2 bundles and modules when they change.")
  var watchPlugins = false

  /// Runs plugins that can change in worker processes.
  func apply(to library: PluginLibrary) {
    if watchPlugins { library.isolationPolicy?.isReplacing = true }
  }

  /// Watches the sources and plugins of a session.
  func follow(_ session: LiveSession, onUpdate: @escaping @Sendable () -> Void) {
    session.followSources(onUpdate: onUpdate)
    if watchPlugins { session.followPlugins(onUpdate: onUpdate) }
  }
}
