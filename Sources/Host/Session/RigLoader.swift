// RigLoader.swift: what is slow in an edit, on a thread of its own. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginCatalogue
import PluginModel
import RealtimeKit
package import Rig
import Synchronization

/// Finds the plugins of a rig, compiles those that are sources, and tries those that are new, while what
/// plays goes on and others are served.
///
/// A plugin that hangs holds this thread, and no other.
package final class RigLoader: Sendable {
  /// A rig that can be gone over to at once.
  package struct LoadedRig: Sendable {
    var rig: PreparedRig
    /// What was compiled for it.
    var products: [(module: SourceModule, product: SourceModule.Product)]
    /// What is worth knowing of its plugins, one sentence each.
    var remarks: [String] = []
    /// What its plugins were seen to do in their trials.
    var traits: PluginLibrary.KnownTraits
  }

  /// What it is made ready for.
  struct PreflightConditions: Sendable {
    /// What its nodes will be made at.
    var trial: Preflight.Conditions
    /// What need not be tried, as it plays.
    var playing: [PluginDescription]
    /// Whether anything is tried.
    var triesPlugins: Bool
  }

  private let outcome = Mutex<Result<LoadedRig, any Error>?>(nil)
  private let ender = ChildProcessCanceller()

  /// Begins. [main]
  ///
  /// - Parameters:
  ///   - rig: what is read, its plugins not looked for yet.
  ///   - likeness: finds the plugins.
  ///   - conditions: what they are to be tried at.
  ///   - onEnd: called on another thread when there is something to take; not once it was called off.
  init(
    _ rig: RigDescription, _ likeness: PluginLibrary.Configuration,
    _ conditions: PreflightConditions,
    onEnd: @escaping @Sendable () -> Void
  ) {
    begin(onEnd) { try Self.prepare(rig, likeness, conditions, $0) }
  }

  /// Begins to try the plugins of a rig that plays, as they are, under other conditions. [main]
  init(trying rig: PreparedRig, _ library: PluginLibrary, at conditions: Preflight.Conditions) {
    let (likeness, products) = (library.likeness, rig.plugins.compactMap(library.compiled))
    begin({}) { ender in
      let library = PluginLibrary(likeness, ender: ender)
      for (module, product) in products { _ = library.adopt(product, of: module) }
      try library.checkByTrial(rig.plugins, at: conditions)
      var tried = rig
      tried.triedAt = conditions
      return LoadedRig(rig: tried, products: [], traits: library.knownTraits)
    }
  }

  private func begin(
    _ onEnd: @escaping @Sendable () -> Void,
    _ work: @escaping @Sendable (ChildProcessCanceller) throws -> LoadedRig
  ) {
    _ = DetachedThread.start { [self] in
      let outcome = Result { try work(ender) }
      guard !ender.hasEnded else { return }
      self.outcome.withLock { $0 = outcome }
      onEnd()
    }
  }

  /// What became of it; nil while it is under way. [any]
  package func take() -> Result<LoadedRig, any Error>? { outcome.withLock { $0 } }

  /// Has nothing come of it: children are killed, and what is found is forgotten. [any]
  package func callOff() { ender.end() }

  private static func prepare(
    _ rig: RigDescription, _ likeness: PluginLibrary.Configuration,
    _ conditions: PreflightConditions,
    _ ender: ChildProcessCanceller
  ) throws -> LoadedRig {
    let library = PluginLibrary(likeness, ender: ender)
    var prepared = try PreparedRig(rig, library)
    prepared.triesPlugins = conditions.triesPlugins
    if conditions.triesPlugins {
      let fresh = prepared.plugins.filter { !conditions.playing.contains($0) }
      try library.checkByTrial(fresh, at: conditions.trial)
      prepared.triedAt = conditions.trial
    }
    // The main thread reads them. A file that cannot be reached holds up this thread instead.
    for file in try prepared.propertyFiles() where !ender.hasEnded { FileProbe.examine(file) }
    return LoadedRig(
      rig: prepared, products: prepared.plugins.compactMap(library.compiled),
      remarks: library.trialRemarks, traits: library.knownTraits)
  }
}

extension LiveSession {
  /// A rig that names no device of its own is heard on the one that is open. [main]
  package func lendDevices(to other: inout RigDescription) {
    guard other.isOffline else { return }
    (other.inputs, other.outputs) = (rig.rig.inputs, rig.rig.outputs)
  }

  /// Begins to make a rig ready, which `edit` then goes over to. [main]
  ///
  /// - Parameters:
  ///   - rig: as it was read.
  ///   - triesPlugins: whether plugins are tried that do not play already.
  ///   - onEnd: called on another thread when `RigLoader.take` has something.
  /// - Returns: the work, on its way.
  package func prepare(
    _ rig: RigDescription, triesPlugins: Bool, onEnd: @escaping @Sendable () -> Void
  ) -> RigLoader {
    RigLoader(
      rig, library.likeness,
      RigLoader.PreflightConditions(
        trial: Preflight.Conditions(graph.configuration), playing: graph.members.map(\.plugin),
        triesPlugins: triesPlugins), onEnd: onEnd)
  }

  /// Begins to make the rig before the last change ready; a source may have been compiled again since.
  /// [main]
  ///
  /// - Throws: `EditError.nothingToUndo`.
  package func prepareUndo(
    onEnd: @escaping @Sendable () -> Void
  ) throws(EditError) -> RigLoader {
    guard let previous = history.previous else { throw EditError.nothingToUndo }
    return prepare(previous.rig, triesPlugins: previous.triesPlugins, onEnd: onEnd)
  }

  /// Begins to make the rig ready that was taken back last. [main]
  ///
  /// - Throws: `EditError.nothingToRedo`.
  package func prepareRedo(
    onEnd: @escaping @Sendable () -> Void
  ) throws(EditError) -> RigLoader {
    guard let following = history.following else { throw EditError.nothingToRedo }
    return prepare(following.rig, triesPlugins: following.triesPlugins, onEnd: onEnd)
  }

  /// Goes over to a rig that is ready. [main]
  ///
  /// - Returns: what is worth knowing, one sentence each.
  /// - Throws: what `edit` throws; then all is as it was.
  package func edit(to ready: RigLoader.LoadedRig) throws -> [String] {
    try edit(to: adopted(ready)) + ready.remarks
  }

  /// Takes the last edit back, its rig being ready. [main]
  package func undo(to ready: RigLoader.LoadedRig) throws -> [String] {
    try goBack(to: adopted(ready)) + ready.remarks
  }

  /// Brings back what was taken back last, its rig being ready. [main]
  package func redo(to ready: RigLoader.LoadedRig) throws -> [String] {
    try goForward(to: adopted(ready)) + ready.remarks
  }

  /// Which changes the history holds: another number where one came or went. [main]
  package var historyNumber: Int { history.number }

  private func adopted(_ ready: RigLoader.LoadedRig) -> PreparedRig {
    for (module, product) in ready.products { _ = library.adopt(product, of: module) }
    library.adopt(ready.traits)
    return ready.rig
  }
}
