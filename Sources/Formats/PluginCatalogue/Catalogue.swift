// Catalogue.swift: the catalogue of installed plugins. SPDX-License-Identifier: MIT

internal import Glibc
package import PluginModel

/// All installed plugins, found by helper processes and cached between runs.
///
/// Bundles are scanned on demand. `refresh` completes the catalogue and uses the cache for unchanged bundles.
/// `entry(named:)` is faster for a single plugin: it checks only the files of that plugin. Use it on one thread.
package final class Catalogue {
  /// The plugin sources, in order of precedence.
  package let sources: [PluginSource]
  /// The command for helper processes.
  package let child: ChildCommand
  /// The limits of helper processes.
  package let limits: ChildLimits
  /// The directory of the cache; nil for none.
  package let cacheDirectory: String?

  private var units: [CachedBundle]?
  private var isFresh = false
  private var listing: CatalogueBuilder?
  /// The fingerprints of all bundles at the last refresh, by source and path.
  private var fingerprints: [String: UInt64] = [:]
  /// Directories that could not be read.
  private var unseen: [ScanError] = []
  /// The names of stored records by their directory; nil except within `readingManyRecords`.
  var recordNames: [String: Set<String>]?

  /// Creates a catalogue of the plugins of `sources`. [main]
  ///
  /// - Parameters:
  ///   - sources: In order of precedence for equal identifiers.
  ///   - child: The command for helper processes.
  ///   - cacheDirectory: The directory of the cache, created on demand; nil for no cache.
  ///   - limits: The limits of helper processes.
  package init(
    sources: [PluginSource], child: ChildCommand = .thisProgram,
    cacheDirectory: String? = Catalogue.defaultCacheDirectory, limits: ChildLimits = ChildLimits()
  ) {
    self.sources = sources
    self.child = child
    self.cacheDirectory = cacheDirectory
    self.limits = limits
  }

  /// The path of `outboard` in the user's cache directory; nil without `XDG_CACHE_HOME` and `HOME`.
  package static var defaultCacheDirectory: String? {
    func variable(_ name: String) -> String? {
      unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap {
        $0.hasPrefix("/") ? $0 : nil
      }
    }
    return variable("XDG_CACHE_HOME").map { $0 + "/outboard" }
      ?? variable("HOME").map { $0 + "/.cache/outboard" }
  }

  // MARK: - Contents

  /// All plugins by name.
  ///
  /// Refreshes if needed. [main]
  package var entries: [CatalogueEntry] { freshListing.entries }

  /// Bundles and directories that could not be read, with reasons.
  ///
  /// Refreshes if needed. [main]
  package var faults: [ScanError] { freshListing.faults + unseen }

  /// Plugins that are installed more than once.
  ///
  /// Refreshes if needed. [main]
  package var duplicates: [DuplicatePlugin] { freshListing.duplicates }

  /// Returns the plugins that match a filter, by name. [main]
  package func entries(matching filter: CatalogueFilter) -> [CatalogueEntry] {
    entries.filter { filter.matches($0) }
  }

  /// The names of presets that are not in descriptions, by the identifier of their plugin, sorted.
  ///
  /// Refreshes if needed. [main]
  package var presetNames: [String: [String]] {
    refresh()
    let presets = Set(storedUnits.flatMap(\.presets.presets))
    return Dictionary(grouping: presets, by: \.plugin).mapValues { $0.map(\.name).sorted() }
  }

  /// Returns the full description of a plugin; nil if it no longer exists. [main]
  package func description(of entry: CatalogueEntry) -> PluginDescription? {
    if let description = currentListing.plugins[entry.identifier]?.description {
      return description
    }
    // The cache is damaged or outdated: scan again.
    evictBundle(entry.unit)
    refresh()
    return currentListing.plugins[entry.identifier]?.description
  }

  /// Returns the plugin with a name.
  ///
  /// See `NameResolution`. [main]
  ///
  /// If the name is exact and the files are unchanged, this reads only the cache and the plugin's files.
  package func entry(named name: String) throws(CatalogueError) -> CatalogueEntry {
    if !isFresh, let entry = cachedEntry(name), isCurrent(entry) { return entry }
    refresh()
    do {
      return try names.resolve(name)
    } catch .unknown(let name, let nearest, _, _) {
      let faults = self.faults
      throw .unknown(
        name: name, nearest: nearest,
        holder: faults.first { UnreadBundle.canContain(name, at: $0.unit) }?.unit,
        unreadCount: faults.count)
    }
  }

  /// Returns the plugin with a name when the cache was written, without a lookup of all names.
  private func cachedEntry(_ name: String) -> CatalogueEntry? {
    currentListing.plugins[name]?.entry ?? names.exact(name)
  }

  private var names: NameResolution {
    NameResolution(
      currentListing.entries,
      preferring: Set(sources.filter(\.namesComeFirst).map { PluginKind(rawValue: $0.name) }))
  }

  // MARK: - Refresh

  /// Checks all bundles, scans new and changed ones, and stores the result. [main]
  package func refresh() {
    guard !isFresh else { return }
    isFresh = true
    var cachedEntry: [String: CachedBundle] = [:]
    for unit in storedUnits { cachedEntry[Self.key(unit.source, unit.path)] = unit }
    var found: [CachedBundle?] = []
    var tasks: [ScanTask] = []
    var positions: [(index: Int, signature: FileFingerprint)] = []
    unseen = []
    for source in sources {
      let list = source.units()
      unseen += list.faults
      for path in list.paths {
        let old = cachedEntry[Self.key(source.name, path)]
        let signature = FileFingerprint(of: source.files(path), knowing: old?.directory)
        fingerprints[Self.key(source.name, path)] = signature.value
        if let old, old.signature == signature.value {
          found.append(old)
        } else {
          for part in parts(of: signature, source) {
            tasks.append(
              ScanTask(
                source: source.name, path: path, part: part,
                byteCount: signature.byteCount / UInt64(part.count)))
            positions.append((found.count, signature))
          }
          found.append(nil)
        }
      }
    }
    let results = child.isInProcess ? tasks.map(readHere) : helperPool.read(tasks)
    for ((index, signature), (task, result)) in zip(positions, zip(tasks, results)) {
      found[index] = Self.unit(task, result, signature, before: found[index])
    }
    let hasChanged = !tasks.isEmpty || found.count != storedUnits.count
    units = found.compactMap { $0 }
    listing = nil
    // A helper process that crashed says nothing about a plugin's faults, so do not store that.
    let isWhole = child.canceller?.hasEnded != true && !child.isInProcess
    if hasChanged, isWhole, let path = cachePath { CacheFile.write(units ?? [], to: path) }
  }

  /// A signature that no bundle has, so that the next refresh scans the bundle.
  private static let unscanned: UInt64 = 0

  private static func key(_ source: String, _ path: String) -> String { source + "\u{0}" + path }

  private static func unit(
    _ task: ScanTask, _ result: ScanResult, _ signature: FileFingerprint, before: CachedBundle?
  ) -> CachedBundle {
    let plugins = result.scannedPlugins.map {
      CachedPlugin($0, source: task.source, unit: task.path)
    }
    let fault = before?.fault ?? ""
    let isScanned = result.isScanned && before?.signature != Self.unscanned
    return CachedBundle(
      source: task.source, path: task.path,
      signature: isScanned ? signature.value : Self.unscanned,
      directory: signature.directory, fault: fault.isEmpty ? result.fault : fault,
      plugins: (before?.plugins ?? []) + plugins,
      presets: CachedBytes((before?.presets.presets ?? []) + result.presets))
  }

  /// Scans a bundle in this process.
  ///
  /// Messages of libraries on standard error are not captured.
  private func readHere(_ task: ScanTask) -> ScanResult {
    var result = ScanResult()
    guard let source = sources.first(where: { $0.name == task.source }) else { return result }
    do {
      try source.scan(task.path, task.part) { event in
        if case .found(let scannedPlugin) = event { result.scannedPlugins.append(scannedPlugin) }
        if case .preset(let preset) = event { result.presets.append(preset) }
      }
    } catch {
      result.fault = "\(error)"
    }
    return result
  }

  private var helperPool: ScanHelperPool { ScanHelperPool(command: child, limits: limits) }

  /// The whole bundle, or one slice per helper process.
  private func parts(of signature: FileFingerprint, _ source: PluginSource) -> [BundleSlice] {
    let isShared = source.isDivisible && signature.byteCount > ScanHelperPool.sharedByteCount
    let count = isShared ? helperPool.childCount : 1
    return (0 ..< count).map { BundleSlice(index: $0, count: count) }
  }

  /// Returns the fingerprint of a plugin's bundle, current or from the last refresh; nil if its source does not
  /// exist.
  package func signature(of entry: CatalogueEntry) -> UInt64? {
    if isFresh, let cachedEntry = fingerprints[Self.key(entry.source, entry.unit)] {
      return cachedEntry
    }
    guard let source = sources.first(where: { $0.name == entry.source }) else { return nil }
    return BlockingCall.wait(seconds: limits.directorySeconds) {
      FileFingerprint(of: source.files(entry.unit)).value
    }
  }

  private func isCurrent(_ entry: CatalogueEntry) -> Bool {
    guard let now = signature(of: entry) else { return false }
    return storedUnits.contains {
      $0.path == entry.unit && $0.source == entry.source && $0.signature == now
    }
  }

  private func evictBundle(_ path: String) {
    units = storedUnits.filter { $0.path != path }
    listing = nil
    isFresh = false
  }

  // MARK: - In memory

  private var cachePath: String? { cacheDirectory.map { $0 + "/catalogue" } }

  private var storedUnits: [CachedBundle] {
    if let units { return units }
    let read = cachePath.flatMap { CacheFile.read($0) } ?? []
    units = read
    return read
  }

  private var freshListing: CatalogueBuilder {
    refresh()
    return currentListing
  }

  private var currentListing: CatalogueBuilder {
    if let listing { return listing }
    let made = CatalogueBuilder(storedUnits)
    listing = made
    return made
  }
}
