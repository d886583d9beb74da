// PluginSource.swift: one kind of plugin, as the catalogue finds, reads and tries it. SPDX-License-Identifier: MIT

package import PluginModel

/// A plugin that was found, with what decides between two of one identifier.
package struct ScannedPlugin: Sendable, Equatable {
  /// What is known of it.
  package var description: PluginDescription
  /// Of two plugins with one identifier the higher rank is used; of equal ones the first found.
  package var rank: UInt64

  /// A plugin and its rank.
  package init(_ description: PluginDescription, rank: UInt64 = 0) {
    self.description = description
    self.rank = rank
  }
}

/// Which plugins of a unit one child reads: a large unit is shared by several.
package struct BundleSlice: Sendable, Equatable {
  /// Which part, from 0.
  package var index: Int
  /// How many parts there are, at least 1.
  package var count: Int

  /// All of a unit.
  package static let whole = BundleSlice(index: 0, count: 1)

  /// Whether the plugin at a position belongs to this part. [any]
  package func contains(_ position: Int) -> Bool { position % count == index }
}

/// What happens while a unit is read.
package enum ScanEvent: Sendable {
  /// The unit as such has been read; what is said from now on concerns a plugin in it.
  case opened
  /// A plugin was found.
  case found(ScannedPlugin)
}

/// What a source looks into, and where it could not.
package struct BundleList: Sendable, Equatable, ExpressibleByArrayLiteral {
  /// Paths of all units, those that take precedence first.
  package var paths: [String]
  /// Places that could not be looked into.
  package var faults: [ScanError]

  /// Units, and places that could not be looked into.
  package init(_ paths: [String], faults: [ScanError] = []) {
    self.paths = paths
    self.faults = faults
  }

  /// Units alone.
  package init(arrayLiteral paths: String...) { self.init(paths) }
}

/// Where one kind of plugin comes from, handed in from above, so that the catalogue knows of none.
///
/// A unit is what is read as a whole: an LV2 bundle folder, or the manifest of a module. `units` and
/// `files` are called in this process and must run no foreign code; `scan` and `trial` are called
/// in the child, where they may crash.
package struct PluginSource: Sendable {
  /// How a plugin is tried.
  package typealias Try =
    @Sendable (
      _ plugin: PluginDescription, _ conditions: Preflight.Conditions,
      _ stage: (Preflight.Stage) -> Void
    ) throws -> Preflight.Traits

  /// Loads a plugin's code, and returns what makes instances under some conditions, each not yet active.
  package typealias Probe =
    @Sendable (
      _ plugin: PluginDescription, _ conditions: Preflight.Conditions
    ) throws -> () throws -> any Node

  /// What the child knows it by, for instance `lv2`.
  package var name: String
  /// All units; must come back, whatever becomes of the folders.
  package var units: @Sendable () -> BundleList
  /// The files that a unit's content depends on; a folder stands for all that lies in it.
  package var files: @Sendable (_ unit: String) -> [String]
  /// Reads a unit, telling of each plugin as it is found.
  package var scan:
    @Sendable (_ unit: String, _ part: BundleSlice, _ event: (ScanEvent) -> Void) throws -> Void
  /// Whether `scan` can read parts; else it is always given the whole.
  package var isDivisible: Bool
  /// Takes a plugin through its life once under some conditions, naming each stage as it begins.
  package var trial: Try
  /// How a plugin that came through its trial is probed for faults that do it no harm there; nil for
  /// kinds of plugins that are not.
  package var probe: Probe?
  /// What is wrong according to what libraries printed to standard error while they read, as the end
  /// of a sentence; nil if nothing is.
  package var complaint: @Sendable (_ noise: String) -> String?

  /// A source with its parts; the files are the unit itself if nothing else is said.
  package init(
    name: String, units: @escaping @Sendable () -> BundleList,
    files: @escaping @Sendable (String) -> [String] = { [$0] },
    isDivisible: Bool = false,
    scan: @escaping @Sendable (String, BundleSlice, (ScanEvent) -> Void) throws -> Void,
    trial: @escaping Try, probe: Probe? = nil,
    complaint: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.name = name
    self.units = units
    self.files = files
    self.isDivisible = isDivisible
    self.scan = scan
    self.trial = trial
    self.probe = probe
    self.complaint = complaint
  }
}
