// Catalogue.swift: every plugin on the machine. SPDX-License-Identifier: MIT

internal import Glibc
package import PluginModel

/// What is installed: found in child processes, remembered between runs, searched and named.
///
/// Nothing is read until it is asked for. `refresh` makes the catalogue complete: what has not changed
/// since it was last read is taken from the cache. `entry(named:)` is the short way for those who
/// want one plugin: it checks that plugin's own files and nothing else. Belongs to one thread.
package final class Catalogue {
  /// Where plugins are found, the first first.
  package let sources: [PluginSource]
  /// How the process is started that reads and tries plugins.
  package let child: ChildCommand
  /// What those processes are allowed.
  package let limits: ChildLimits
  /// Where the cache is kept; nil for nowhere.
  package let cacheFolder: String?

  private var units: [CachedBundle]?
  private var isFresh = false
  private var listing: CatalogueBuilder?
  /// Of the units as they were last looked at.
  private var signatures: [String: UInt64] = [:]
  /// Places that could not be looked into.
  private var unseen: [ScanError] = []

  /// A catalogue of what `sources` find. [main]
  ///
  /// - Parameters:
  ///   - sources: The earlier take precedence where an identifier is there twice.
  ///   - child: How the process is started that reads and tries plugins.
  ///   - cacheFolder: Where the cache is kept, made if need be; nil for no cache.
  ///   - limits: What that process is allowed.
  package init(
    sources: [PluginSource], child: ChildCommand = .thisProgram,
    cacheFolder: String? = Catalogue.defaultCacheFolder, limits: ChildLimits = ChildLimits()
  ) {
    self.sources = sources
    self.child = child
    self.cacheFolder = cacheFolder
    self.limits = limits
  }

  /// `outboard` in the user's cache folder; nil if there is neither `XDG_CACHE_HOME` nor `HOME`.
  package static var defaultCacheFolder: String? {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return variable("XDG_CACHE_HOME").map { $0 + "/outboard" }
      ?? variable("HOME").map { $0 + "/.cache/outboard" }
  }

  // MARK: - What there is

  /// All plugins, by name; refreshes if that has not been done. [main]
  package var entries: [CatalogueEntry] { freshListing.entries }

  /// Units and folders that could not be read, and why; refreshes if that has not been done. [main]
  package var faults: [ScanError] { freshListing.faults + unseen }

  /// Plugins that are there more than once; refreshes if that has not been done. [main]
  package var duplicates: [DuplicatePlugin] { freshListing.duplicates }

  /// The plugins that a filter shows, by name. [main]
  package func entries(matching filter: CatalogueFilter) -> [CatalogueEntry] {
    entries.filter { filter.matches($0) }
  }

  /// Everything known of a plugin; nil if it is gone since it was listed. [main]
  package func description(of entry: CatalogueEntry) -> PluginDescription? {
    if let description = currentListing.plugins[entry.identifier]?.description {
      return description
    }
    // Damage in the cache, or a listing that has grown old: read it again.
    forgetUnit(entry.unit)
    refresh()
    return currentListing.plugins[entry.identifier]?.description
  }

  /// The plugin that a name stands for: see `NameResolution`. [main]
  ///
  /// Reads nothing but the cache and the files of the plugin found, if the name is exact and they
  /// have not changed.
  package func entry(named name: String) throws(CatalogueError) -> CatalogueEntry {
    if !isFresh, let entry = known(name), isCurrent(entry) { return entry }
    refresh()
    do {
      return try NameResolution(currentListing.entries).resolve(name)
    } catch .unknown(let name, let nearest, _, _) {
      let faults = self.faults
      throw .unknown(
        name: name, nearest: nearest,
        holder: faults.first { UnreadBundle.mayHold(name, at: $0.unit) }?.unit,
        unreadCount: faults.count)
    }
  }

  /// The plugin that a name stood for when the cache was written; the identifier is the short way.
  private func known(_ name: String) -> CatalogueEntry? {
    currentListing.plugins[name]?.entry ?? NameResolution(currentListing.entries).exact(name)
  }

  // MARK: - Bringing it up to date

  /// Looks at all units, reads those that are new or have changed, and remembers the result. [main]
  package func refresh() {
    guard !isFresh else { return }
    isFresh = true
    var known: [String: CachedBundle] = [:]
    for unit in storedUnits { known[Self.key(unit.source, unit.path)] = unit }
    var found: [CachedBundle?] = []
    var tasks: [ScanTask] = []
    var positions: [(index: Int, signature: UInt64)] = []
    unseen = []
    for source in sources {
      let list = source.units()
      unseen += list.faults
      for path in list.paths {
        let signature = FileFingerprint(of: source.files(path))
        let old = known[Self.key(source.name, path)]
        signatures[Self.key(source.name, path)] = signature.value
        if let old, old.signature == signature.value {
          found.append(old)
        } else {
          for part in parts(of: signature, source) {
            tasks.append(
              ScanTask(
                source: source.name, path: path, part: part,
                byteCount: signature.byteCount / UInt64(part.count)))
            positions.append((found.count, signature.value))
          }
          found.append(nil)
        }
      }
    }
    let results = child.isInProcess ? tasks.map(readHere) : crew.read(tasks)
    for ((index, signature), (task, result)) in zip(positions, zip(tasks, results)) {
      found[index] = Self.unit(task, result, signature, before: found[index])
    }
    let hasChanged = !tasks.isEmpty || found.count != storedUnits.count
    units = found.compactMap { $0 }
    listing = nil
    // What children did not live to tell is not known to be wrong.
    let isWhole = child.ender?.hasEnded != true && !child.isInProcess
    if hasChanged, isWhole, let path = cachePath { CacheFile.write(units ?? [], to: path) }
  }

  private static func key(_ source: String, _ path: String) -> String { source + "\u{0}" + path }

  private static func unit(
    _ task: ScanTask, _ result: ScanResult, _ signature: UInt64, before: CachedBundle?
  ) -> CachedBundle {
    let plugins = result.findings.map { CachedPlugin($0, source: task.source, unit: task.path) }
    let fault = before?.fault ?? ""
    return CachedBundle(
      source: task.source, path: task.path, signature: signature,
      fault: fault.isEmpty ? result.fault : fault, plugins: (before?.plugins ?? []) + plugins)
  }

  /// Reads a unit in this process, where what a library complains of on standard error stays unknown.
  private func readHere(_ task: ScanTask) -> ScanResult {
    var result = ScanResult()
    guard let source = sources.first(where: { $0.name == task.source }) else { return result }
    do {
      try source.scan(task.path, task.part) { event in
        if case .found(let finding) = event { result.findings.append(finding) }
      }
    } catch {
      result.fault = "\(error)"
    }
    return result
  }

  private var crew: ScanHelperPool { ScanHelperPool(command: child, limits: limits) }

  /// The whole, or one part for each child.
  private func parts(of signature: FileFingerprint, _ source: PluginSource) -> [BundleSlice] {
    let isShared = source.isDivisible && signature.byteCount > ScanHelperPool.sharedByteCount
    let count = isShared ? crew.childCount : 1
    return (0 ..< count).map { BundleSlice(index: $0, count: count) }
  }

  /// The signature of the unit that a plugin is in, as it is now or was when this catalogue was
  /// refreshed; nil if its source is not there. [main]
  package func signature(of entry: CatalogueEntry) -> UInt64? {
    if isFresh, let known = signatures[Self.key(entry.source, entry.unit)] { return known }
    guard let source = sources.first(where: { $0.name == entry.source }) else { return nil }
    return BlockingCall.wait(seconds: limits.folderSeconds) {
      FileFingerprint(of: source.files(entry.unit)).value
    }
  }

  private func isCurrent(_ entry: CatalogueEntry) -> Bool {
    guard let now = signature(of: entry) else { return false }
    return storedUnits.contains {
      $0.path == entry.unit && $0.source == entry.source && $0.signature == now
    }
  }

  private func forgetUnit(_ path: String) {
    units = storedUnits.filter { $0.path != path }
    listing = nil
    isFresh = false
  }

  // MARK: - What is in memory

  private var cachePath: String? { cacheFolder.map { $0 + "/catalogue" } }

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

/// Units turned into a list: one plugin for each identifier, sorted.
final class CatalogueBuilder {
  /// The plugins by name, sorted when somebody asks: who wants one by its identifier does not.
  private(set) lazy var entries = sorted()
  private(set) var faults: [ScanError] = []
  private(set) var duplicates: [DuplicatePlugin] = []
  /// By identifier.
  private(set) var plugins: [String: CachedPlugin] = [:]

  /// Of two plugins with one identifier the one of higher rank is used, of equal ones the first, as
  /// lilv does.
  init(_ units: [CachedBundle]) {
    for unit in units {
      if !unit.fault.isEmpty {
        faults.append(ScanError(unit: unit.path, sentence: unit.fault))
      }
      for plugin in unit.plugins { add(plugin) }
    }
  }

  private func sorted() -> [CatalogueEntry] {
    // The key once for each, as making it costs more than comparing.
    plugins.values.map { (key: $0.entry.name.lowercased(), entry: $0.entry) }
      .sorted { ($0.key, $0.entry.identifier) < ($1.key, $1.entry.identifier) }
      .map(\.entry)
  }

  private func add(_ plugin: CachedPlugin) {
    let identifier = plugin.entry.identifier
    guard let other = plugins[identifier] else {
      plugins[identifier] = plugin
      return
    }
    let isNewer = plugin.entry.rank > other.entry.rank
    let (used, ignored) = isNewer ? (plugin, other) : (other, plugin)
    plugins[identifier] = used
    duplicates.append(
      DuplicatePlugin(
        identifier: identifier, used: used.entry.unit, ignored: ignored.entry.unit))
  }
}
