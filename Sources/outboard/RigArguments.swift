// RigArguments.swift: what `run`, `render`, `check` and `graph` share: a chain or a rig. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import Catalogue
import Console
import Foundation
import PluginModel
import Rig
import Session

/// A chain of plugins, or a rig.
struct RigArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Plugins in the order of the sound, each followed by its values.",
      valueName: "plugin [symbol=value ...]"))
  var chain: [String] = []
  @Option(
    help: ArgumentHelp(
      "Take this rig instead: a file, or the name of an installed one.",
      valueName: "rig"))
  var rig: String?
  @Flag(
    help: "Use plugins without trying them first, even those that crashed when they were tried.")
  var skipTrial = false

  /// Words that are the names of sound files: no plugin is called so.
  var soundFiles: [String] { chain.filter(Self.isSoundFile) }

  private var plugins: [String] { chain.filter { !Self.isSoundFile($0) } }

  func validate() throws {
    if rig == nil, plugins.isEmpty {
      throw ValidationError("Name a plugin, or a rig with --rig FILE.")
    }
    if rig != nil, !plugins.isEmpty {
      throw ValidationError("Give either plugins or --rig FILE, not both.")
    }
  }

  /// Watches the rig's file, and calls `onChange` on another thread when it has been saved; nil without one,
  /// and where the system has no more watches. [main]
  func follower(onChange: @escaping @Sendable () -> Void) -> RigFollower? {
    rig.flatMap { RigFollower(RigFolders.path(of: $0), onChange: onChange) }
  }

  /// Reads the rig or the chain, and finds its plugins.
  ///
  /// `takesSoundFiles`: the caller makes use of
  /// `soundFiles`; `isQuiet`: another process tells what there is to say of the rig.
  func prepare(
    _ library: PluginLibrary, takesSoundFiles: Bool = false, isQuiet: Bool = false
  ) throws -> PreparedRig {
    if !takesSoundFiles, let file = soundFiles.first {
      if file == "-" { throw Refusal("- is standard input, which `outboard run --in -` hears.") }
      throw Refusal(
        "\(file) is a sound file, not a plugin; `outboard render` takes it, and a player in a rig"
          + " plays it.")
    }
    var prepared = try PreparedRig(try describe(library, isQuiet), library)
    prepared.triesPlugins = !skipTrial
    return prepared
  }

  /// Refuses plugins that cannot be used, or do not survive being tried as the rig asks for its device,
  /// each in one sentence: before a device is opened.
  func check(_ prepared: PreparedRig, _ library: PluginLibrary) throws {
    guard !skipTrial else { return }
    var conditions = Trial.Conditions.usual
    conditions.sampleRateHz = prepared.rig.sampleRateHz.map(Double.init) ?? conditions.sampleRateHz
    conditions.maximumFrameCount = prepared.rig.periodFrames ?? conditions.maximumFrameCount
    try library.checkByTrial(prepared.plugins, at: conditions)
  }

  private func describe(_ library: PluginLibrary, _ isQuiet: Bool) throws -> RigDescription {
    guard let rig else {
      let links = try ChainLink.parse(plugins)
      return RigDescription(chain: links, plugins: try links.map { try find($0.plugin, library) })
    }
    let description = try RigReader.read(named: rig)
    for note in description.notes where !isQuiet { Terminal.error.writeLine("outboard: \(note)") }
    return description
  }

  /// By the extensions of what can be written, and those besides of what can be read; `-` is standard input.
  private static func isSoundFile(_ word: String) -> Bool {
    guard !word.contains("=") else { return false }
    if word == "-" { return true }
    if let container = AudioContainer(path: word) { return container != .raw }
    return ["mp3", "w64", "rf64", "wave", "aifc"].contains {
      word.lowercased().hasSuffix(".\($0)")
    }
  }

  /// A rig where a plugin should stand is a slip that the catalogue cannot know of.
  private func find(_ name: String, _ library: PluginLibrary) throws -> PluginDescription {
    do {
      return try library.find(name)
    } catch  where Self.isRig(name, error) {
      throw Refusal("\(name) is a rig, not a plugin; use --rig \(name).")
    }
  }

  /// Whether a name that led to an error is an installed rig's, or a file that says what its nodes are.
  private static func isRig(_ name: String, _ error: any Error) -> Bool {
    if let error = error as? CatalogueError {
      guard case .unknown = error else { return false }
      return RigFolders.names.contains(name)
    }
    guard error is ManifestError, let text = try? String(contentsOfFile: name, encoding: .utf8)
    else { return false }
    return text.split(separator: "\n").contains { $0.hasPrefix("nodes:") }
  }
}
