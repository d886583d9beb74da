// PluginSource.swift: a source of plugins of one kind. SPDX-License-Identifier: MIT

package import PluginModel

/// A plugin found by a scan, with its rank.
package struct ScannedPlugin: Sendable, Equatable {
  /// The description.
  package var description: PluginDescription
  /// The rank: for equal identifiers the highest is used, for equal ranks the first.
  package var rank: UInt64

  /// Creates a scanned plugin.
  package init(_ description: PluginDescription, rank: UInt64 = 0) {
    self.description = description
    self.rank = rank
  }
}

/// The slice of a bundle that one helper process scans.
///
/// Several processes share a large bundle.
package struct BundleSlice: Sendable, Equatable {
  /// The index of the slice, from 0.
  package var index: Int
  /// The number of slices, at least 1.
  package var count: Int

  /// The whole bundle.
  package static let whole = BundleSlice(index: 0, count: 1)

  /// Whether the plugin at an index belongs to this slice. [any]
  package func contains(_ position: Int) -> Bool { position % count == index }
}

/// An event during a scan.
package enum ScanEvent: Sendable {
  /// The bundle was opened.
  ///
  /// Later messages refer to a plugin in it.
  case opened
  /// A plugin was found.
  case found(ScannedPlugin)
  /// The name of a preset was found, which is in no description.
  case preset(PresetName)
}

/// The bundles of a source and the directories that could not be read.
package struct BundleList: Sendable, Equatable, ExpressibleByArrayLiteral {
  /// The paths of all bundles, in order of precedence.
  package var paths: [String]
  /// The directories that could not be read.
  package var faults: [ScanError]

  /// Creates a list of bundles and faults.
  package init(_ paths: [String], faults: [ScanError] = []) {
    self.paths = paths
    self.faults = faults
  }

  /// Creates a list of bundles.
  package init(arrayLiteral paths: String...) { self.init(paths) }
}

/// The installed plugins of a format: how to scan and try them.
///
/// A unit is a bundle, manifest or file that contains plugins. `units` and `files` run in this process and must not
/// run foreign code. `scan` and `preflight` run in the helper process, where they may crash.
package struct PluginSource: Sendable {
  /// Runs the preflight of a plugin.
  package typealias RunPreflight =
    @Sendable (
      _ plugin: PluginDescription, _ conditions: Preflight.Conditions,
      _ stage: (Preflight.Stage) -> Void
    ) throws -> Preflight.Traits

  /// Loads a plugin's code and returns a function that creates instances, not yet active.
  package typealias Probe =
    @Sendable (
      _ plugin: PluginDescription, _ conditions: Preflight.Conditions
    ) throws -> () throws -> any Node

  /// The name in messages to the helper process: that of the `PluginKind`.
  package var name: String
  /// Returns all units; must not block on unreachable directories.
  package var units: @Sendable () -> BundleList
  /// Returns the files that a unit depends on; a directory means all its files.
  package var files: @Sendable (_ unit: String) -> [String]
  /// Scans a unit and reports each plugin.
  package var scan:
    @Sendable (_ unit: String, _ part: BundleSlice, _ event: (ScanEvent) -> Void) throws -> Void
  /// Whether `scan` supports slices.
  ///
  /// Otherwise it always receives the whole unit.
  package var isDivisible: Bool
  /// Whether the names of its plugins come before those of other sources.
  package var namesComeFirst: Bool
  /// Runs the preflight of a plugin under some conditions and reports each stage.
  package var preflight: RunPreflight
  /// Loads a plugin for the memory probe after its preflight; nil if this kind is not probed.
  package var probe: Probe?
  /// Returns a fault from the messages of libraries on standard error, as the end of a message; nil if there is
  /// none.
  package var libraryFault: @Sendable (_ noise: String) -> String?

  /// Creates a source.
  ///
  /// By default the files are the unit itself.
  package init(
    name: String, units: @escaping @Sendable () -> BundleList,
    files: @escaping @Sendable (String) -> [String] = { [$0] },
    isDivisible: Bool = false, namesComeFirst: Bool = false,
    scan: @escaping @Sendable (String, BundleSlice, (ScanEvent) -> Void) throws -> Void,
    preflight: @escaping RunPreflight, probe: Probe? = nil,
    libraryFault: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.name = name
    self.units = units
    self.files = files
    self.isDivisible = isDivisible
    self.namesComeFirst = namesComeFirst
    self.scan = scan
    self.preflight = preflight
    self.probe = probe
    self.libraryFault = libraryFault
  }
}
