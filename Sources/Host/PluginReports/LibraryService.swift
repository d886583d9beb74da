// LibraryService.swift: answers commands about plugins and files. SPDX-License-Identifier: MIT

import AudioFiles
import ErrorModel
import FoundationEssentials
import Glibc
package import HostModel
import Installation
import PluginCatalogue
package import PluginLoading
import PluginModel
import RigSchema
import Synchronization

/// Answers `plugins`, `plugin`, `rigs` and `files` on the threads of clients.
///
/// It has a separate library.
package final class LibraryService: LibraryQueries {
  /// After this time, in seconds, plugins are read again, so that new ones are found.
  private static let keptSeconds = 30.0

  private struct State: @unchecked Sendable {
    // Unchecked because a library belongs to one thread at a time; it is used only under the lock.
    var library: PluginLibrary?
    var summaries: [PluginSummary] = []
    var index: SearchIndex?
    var readAt = ContinuousClock.now
  }

  private let makeLibrary: @Sendable () -> PluginLibrary
  private let state = Mutex(State())

  /// A service that reads plugins when they are requested for the first time. [any]
  package init(_ makeLibrary: @escaping @Sendable () -> PluginLibrary) {
    self.makeLibrary = makeLibrary
  }

  /// Returns the reply to a command; nil if it is a command for the session. [any thread that may wait for seconds]
  package func answer(_ command: Command) -> Reply? {
    do {
      switch command {
      case .plugins(let plugins): return Reply(.plugins(list(plugins)))
      case .plugin(let name): return Reply(.plugin(try describe(name)))
      case .rigs:
        return Reply(
          .rigs(RigDirectories.names.map { RigInfo(name: $0, path: RigDirectories.path(of: $0)) }))
      case .files(let files): return Reply(.files(try Self.list(files)))
      default: return nil
      }
    } catch {
      return Reply(error)
    }
  }

  // MARK: - Plugins

  private func list(_ request: Command.Plugins) -> [PluginSummary] {
    let found = state.withLock { state -> [PluginSummary] in
      _ = library(&state)
      guard let query = request.query, query.contains(where: { !$0.isWhitespace }) else {
        return state.summaries
      }
      let matches = state.index?.search(query).matches ?? []
      let indices = Dictionary(
        state.summaries.enumerated().map { ($1.plugin, $0) },
        uniquingKeysWith: { first, _ in first })
      return matches.compactMap { match in
        guard case .plugin(let identifier) = match.target else { return nil }
        return indices[identifier].map { state.summaries[$0] }
      }
    }
    return Array(found.prefix(request.limit ?? found.count))
  }

  private func describe(_ name: String) throws -> JSONValue {
    try state.withLock { state in
      let library = library(&state)
      var plugin = try library.find(name)
      // A bundle that cannot be read hides presets only.
      let presets = (try? library.presets(of: plugin)) ?? []
      plugin.refusal = plugin.refusal ?? library.preflightError(of: plugin)
      let report = PluginReport(
        plugin, presets: presets, isolation: library.isolationReason(of: plugin))
      return try JSONParser.parse(Array(JSONLine.data(report)))
    }
  }

  /// Returns the library, read again if it is old.
  private func library(_ state: inout State) -> PluginLibrary {
    if let library = state.library, ContinuousClock.now - state.readAt < .seconds(Self.keptSeconds)
    {
      return library
    }
    let library = makeLibrary()
    state.library = library
    state.index = library.searchIndex(of: nil)
    state.summaries = library.installed.filter { $0.refusal == nil }.map(PluginSummary.init)
    state.readAt = .now
    return library
  }

  // MARK: - Files

  /// The number of files and directories that are listed.
  private static let maximumEntryCount = 10_000

  private static func list(_ request: Command.Files) throws -> FileList {
    let home = ProcessInfo.processInfo.environment["HOME"] ?? "/"
    let directory = URL(fileURLWithPath: request.directory ?? home).standardizedFileURL.path
    guard (request.directory ?? "/").hasPrefix("/") else { throw LibraryError.relativePath }
    guard InstallPaths.isDirectory(directory), unsafe access(directory, R_OK | X_OK) == 0,
      let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
    else { throw LibraryError.unreadable(directory) }
    let entries = names.filter { !$0.hasPrefix(".") }.sorted { $0.lowercased() < $1.lowercased() }
      .prefix(maximumEntryCount).compactMap { name -> FileList.Entry? in
        var isDirectory = false
        guard
          FileManager.default.fileExists(atPath: "\(directory)/\(name)", isDirectory: &isDirectory),
          isDirectory || AudioContainer.isAudioFile(name)
        else { return nil }
        return .init(name: name, directory: isDirectory)
      }
    return FileList(
      directory: directory, entries: entries.filter(\.directory) + entries.filter { !$0.directory })
  }
}

/// Why a command about files failed.
private enum LibraryError: HostError {
  case relativePath
  case unreadable(String)

  var kind: ErrorKind {
    switch self {
    case .relativePath: .usage
    case .unreadable: .failure
    }
  }

  var description: String {
    switch self {
    case .relativePath: "files needs \"directory\", the absolute path of a directory."
    case .unreadable(let path):
      "The directory \(path) cannot be read. Check that it exists and its permissions."
    }
  }

  var fields: [String: String] { ["key": "directory"] }
}

extension PluginSummary {
  fileprivate init(_ plugin: PluginDescription) {
    self.init(
      plugin: plugin.identifier, name: plugin.name, category: plugin.category,
      format: plugin.kind.rawValue, summary: plugin.summary.isEmpty ? nil : plugin.summary,
      inputs: plugin.audioInputs.count, outputs: plugin.audioOutputs.count,
      midi: plugin.acceptsMIDI ? true : nil)
  }
}
