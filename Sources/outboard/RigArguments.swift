// RigArguments.swift: the options that select a chain or a rig. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import Manifests
import PluginCatalogue
import PluginLoading
import PluginModel
import Processes
import RigSchema
import Session

/// Options for a chain of plugins or a rig file.
struct RigArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Plugins in signal order, each followed by parameter values.",
      valueName: "plugin [symbol=value ...]"))
  var chain: [String] = []
  @Option(
    help: ArgumentHelp(
      "Rig file or name of an installed rig.",
      valueName: "rig"))
  var rig: String?
  @Flag(
    help: "Use plugins without testing them first.")
  var skipPreflight = false

  @OptionGroup var helperArguments: HelperArguments

  /// Words that name sound files.
  ///
  /// They cannot name plugins.
  var audioFiles: [String] {
    chain.flatMap { word in
      ArgumentWords.files(for: word) ?? (AudioFileName.matches(word) ? [word] : [])
    }
  }

  private var plugins: [String] {
    chain.filter { ArgumentWords.files(for: $0) == nil && !AudioFileName.matches($0) }
  }

  /// Whether plugins or a rig are named.
  var isGiven: Bool { rig != nil || !plugins.isEmpty }

  /// Rejects a command line without plugins and without a rig.
  func require() throws {
    guard !isGiven else { return }
    throw ValidationError(
      "Name a plugin, or a rig with --rig FILE. `outboard list` shows all plugins.")
  }

  func validate() throws {
    if rig != nil, !plugins.isEmpty {
      throw ValidationError("Give either plugins or --rig FILE, not both.")
    }
  }

  /// Watches the rig file and calls `onChange` on another thread after it was saved. [main]
  ///
  /// Returns nil if there is no file, or if the inotify limit is reached.
  func follower(onChange: @escaping @Sendable () -> Void) -> FileSetWatcher? {
    rig.flatMap { FileSetWatcher(RigDirectories.path(of: $0), onChange: onChange) }
  }

  /// Reads the rig or chain and finds its plugins.
  ///
  /// `acceptsAudioFiles` is true if the caller uses `audioFiles`. `isQuiet` is true if another process prints the
  /// messages of the rig. `rig` is that of a session that restarts.
  func prepare(
    _ library: PluginLibrary, acceptsAudioFiles: Bool = false, isQuiet: Bool = false,
    continuing rig: RigDescription? = nil
  ) throws -> PreparedRig {
    if !acceptsAudioFiles, let file = audioFiles.first {
      if file == "-" { throw UsageError("- is standard input. Use `outboard run --in -`.") }
      throw UsageError(
        "\(file) is an audio file, not a plugin. Use `outboard render`, or a player in a rig.")
    }
    var prepared = try PreparedRig(
      try rig ?? describe(library, isQuiet), library)
    prepared.runsPreflight = !skipPreflight
    return prepared
  }

  /// Rejects plugins that cannot be used or that fail preflight with the settings of the rig.
  ///
  /// Runs before a device is opened.
  func check(_ prepared: PreparedRig, _ library: PluginLibrary) throws {
    guard !skipPreflight else { return }
    try prepared.checkPlugins(library) { plugin in
      Terminal.error.writeLine("outboard: \(plugin.name) is still being tested.")
    }
    for remark in library.preflightRemarks { Terminal.error.writeLine("outboard: \(remark)") }
  }

  private func describe(_ library: PluginLibrary, _ isQuiet: Bool) throws -> RigDescription {
    guard let rig else {
      let links = try ChainLink.parse(plugins)
      return RigDescription(chain: links, plugins: try links.map { try find($0.plugin, library) })
    }
    let description = try RigReader.read(named: rig, library.formats)
    for note in description.notes where !isQuiet { Terminal.error.writeLine("outboard: \(note)") }
    return description
  }

  /// Detects a rig name instead of a plugin, which the catalogue does not know.
  private func find(_ name: String, _ library: PluginLibrary) throws -> PluginDescription {
    try library.find(name, adviceForRig: "Use --rig \(name).")
  }

  /// Returns whether an unknown name is an installed rig or a file with nodes.
  static func isRig(_ name: String, _ error: any Error) -> Bool {
    if let error = error as? CatalogueError {
      guard case .unknown = error else { return false }
      return RigDirectories.names.contains(name)
    }
    guard error is ManifestError, let text = try? String(contentsOfFile: name, encoding: .utf8)
    else { return false }
    return text.split(separator: "\n").contains {
      $0.hasPrefix("nodes:") || $0.hasPrefix("connections:")
    }
  }
}

extension PluginLibrary {
  /// Finds a plugin; the error about a rig of this name contains the advice.
  func find(_ name: String, adviceForRig: String) throws -> PluginDescription {
    do {
      return try find(name)
    } catch  where RigArguments.isRig(name, error) {
      throw UsageError("\(name) is a rig, not a plugin. \(adviceForRig)")
    }
  }
}

/// The options for debuggers and profilers.
struct HelperArguments: ParsableArguments {
  @Flag(
    help: "Use no helper processes; for debuggers and profilers.")
  var noHelpers = false

  @Flag(help: "Wait for a debugger; use no helper processes.")
  var waitForDebugger = false

  /// Whether everything runs in this process.
  var isInProcess: Bool { noHelpers || waitForDebugger }

  func validate() throws {
    guard isInProcess else { return }
    ChildCommand.forbidChildren()
    ForeignCode.keepLibraries()
  }

  /// Waits for a debugger if the user wishes.
  func begin() {
    guard waitForDebugger else { return }
    let process = DebuggerWait.process
    Terminal.error.writeLine(
      "outboard: Waiting for a debugger: gdb -p \(process). To continue without one, press Return or run"
        + " kill -CONT \(process).")
    let isAttached = DebuggerWait.wait()
    Terminal.error.writeLine(
      isAttached ? "outboard: A debugger is attached." : "outboard: Continuing without a debugger.")
  }
}
