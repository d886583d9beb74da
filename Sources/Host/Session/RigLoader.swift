// RigLoader.swift: the slow part of a rig change, on a separate thread. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginCatalogue
import PluginLoading
import PluginModel
import RealtimeKit
import RigSchema
import Synchronization

/// Finds the plugins of a rig, compiles source modules, and runs preflight while the session continues.
///
/// A plugin that hangs blocks only this thread.
package final class RigLoader: Sendable {
  /// A rig that can become active at once.
  package struct LoadedRig: Sendable {
    var rig: PreparedRig
    /// The plugins that were built for it.
    var builds: [any BuiltPlugin]
    /// Messages about a change that led to it.
    var notes: [String] = []
    /// The node that loses values that were set by hand; nil for none.
    var resetNode: String?
    /// Messages about its plugins.
    var remarks: [String] = []
    /// The behaviour of its plugins during preflight.
    var traits: PluginLibrary.KnownTraits
  }

  /// The target of the preparation.
  struct PreflightConditions: Sendable {
    /// The conditions of its nodes.
    var preflight: Preflight.Conditions
    /// Plugins that need no preflight, because they are active.
    var playing: [PluginDescription]
    /// Whether preflight is enabled.
    var runsPreflight: Bool
  }

  private let outcome = Mutex<Result<LoadedRig, any Error>?>(nil)
  private let canceller = ChildProcessCanceller()

  /// Starts the work. [main]
  ///
  /// - Parameters:
  ///   - rig: the rig whose plugins are not resolved yet.
  ///   - configuration: how to find the plugins.
  ///   - conditions: the conditions of the preflight.
  ///   - onEnd: called on another thread when a result is available; not after a cancellation.
  init(
    _ rig: RigDescription, _ configuration: PluginLibrary.Configuration,
    _ conditions: PreflightConditions,
    onEnd: @escaping @Sendable () -> Void
  ) {
    begin(onEnd) { canceller in
      try Self.prepare(
        rig, PluginLibrary(configuration, canceller: canceller), conditions, canceller)
    }
  }

  /// Starts to apply a change to a rig. [main]
  ///
  /// - Parameters:
  ///   - rig: the present rig, without connections to recorders of the command line.
  ///   - edit: the change.
  ///   - configuration: how to find the plugins.
  ///   - conditions: the conditions of the preflight.
  ///   - onEnd: called on another thread when a result is available; not after a cancellation.
  init(
    _ rig: RigDescription, _ edit: RigEdit, _ configuration: PluginLibrary.Configuration,
    _ conditions: PreflightConditions, onEnd: @escaping @Sendable () -> Void
  ) {
    begin(onEnd) { canceller in
      let library = PluginLibrary(configuration, canceller: canceller)
      var edited = try rig.applying(edit) { name in
        try library.find(library.isPath(name) ? rig.path(name) : name)
      }
      RecordingTaps.connect(in: &edited.rig)
      var loaded = try Self.prepare(edited.rig, library, conditions, canceller)
      (loaded.notes, loaded.resetNode) = (edited.notes, edited.resetNode)
      return loaded
    }
  }

  /// Starts the preflight of the active plugins under other conditions. [main]
  init(trying rig: PreparedRig, _ library: PluginLibrary, at conditions: Preflight.Conditions) {
    let (configuration, builds) = (
      library.sharedConfiguration, rig.plugins.compactMap(library.build)
    )
    begin({}) { canceller in
      let library = PluginLibrary(configuration, canceller: canceller)
      for build in builds { library.register(build) }
      try library.preflight(rig.triedPlugins, at: conditions)
      var tried = rig
      tried.preflightConditions = conditions
      return LoadedRig(rig: tried, builds: [], traits: library.knownTraits)
    }
  }

  private func begin(
    _ onEnd: @escaping @Sendable () -> Void,
    _ work: @escaping @Sendable (ChildProcessCanceller) throws -> LoadedRig
  ) {
    _ = DetachedThread.start { [self] in
      let outcome = Result { try work(canceller) }
      guard !canceller.hasEnded else { return }
      self.outcome.withLock { $0 = outcome }
      onEnd()
    }
  }

  /// Returns the result; nil while the work is in progress. [any]
  package func take() -> Result<LoadedRig, any Error>? { outcome.withLock { $0 } }

  /// Cancels the work: kills helper processes and drops the result. [any]
  package func cancel() { canceller.cancelAll() }

  private static func prepare(
    _ rig: RigDescription, _ library: PluginLibrary, _ conditions: PreflightConditions,
    _ canceller: ChildProcessCanceller
  ) throws -> LoadedRig {
    var prepared = try PreparedRig(rig, library)
    prepared.runsPreflight = conditions.runsPreflight
    if conditions.runsPreflight {
      try library.checkUsable(prepared.plugins)
      let newPlugins = prepared.triedPlugins.filter { !conditions.playing.contains($0) }
      try library.preflight(newPlugins, at: conditions.preflight)
      prepared.preflightConditions = conditions.preflight
    }
    // The main thread reads the files. An unreachable file blocks this thread instead.
    for file in try prepared.propertyFiles() where !canceller.hasEnded { FileProbe.examine(file) }
    return LoadedRig(
      rig: prepared, builds: prepared.plugins.compactMap(library.build),
      remarks: library.preflightRemarks, traits: library.knownTraits)
  }
}
