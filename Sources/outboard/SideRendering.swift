// SideRendering.swift: a plugin or a rig that is rendered for a comparison. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import Metering
import PluginLoading
import PluginModel
import RigSchema
import Session

/// A side that `outboard render` renders in another process to a temporary file.
struct SideRendering {
  /// How sides are rendered.
  struct Settings {
    /// The input file; nil for the test signal.
    var input: String?
    /// Further arguments for `outboard render`.
    var arguments: [String] = []
    /// Whether plugins are tested first.
    var runsPreflight = true
  }

  /// The words of the user.
  let name: String
  /// The plugins or the rig.
  let prepared: PreparedRig
  private let arguments: [String]
  private let input: String?
  private let usesTestSignal: Bool

  /// Finds the plugins or the rig.
  ///
  /// - Throws: errors of the plugins, of their values, and of the rig.
  init(_ words: [String], _ options: Settings, _ library: PluginLibrary) throws {
    name = words.joined(separator: " ")
    var prepared: PreparedRig
    if let rig = try Self.rig(words, library) {
      prepared = try PreparedRig(try RigReader.read(named: rig, library.formats), library)
      arguments = ["--rig", rig] + options.arguments
    } else {
      let chain = try words.flatMap { try Self.split($0, library) }
      let links = try ChainLink.parse(chain)
      let plugins = try links.map { try library.find($0.plugin) }
      prepared = try PreparedRig(RigDescription(chain: links, plugins: plugins), library)
      arguments = chain + options.arguments
    }
    prepared.runsPreflight = options.runsPreflight
    self.prepared = prepared
    let needsSignal = prepared.usesInput && options.input == nil
    usesTestSignal = needsSignal
    input = needsSignal ? "-" : options.input
  }

  /// Returns the name of a rig; nil if the words name plugins.
  private static func rig(_ words: [String], _ library: PluginLibrary) throws -> String? {
    guard words.count == 1 else { return nil }
    do {
      _ = try library.find(words[0])
      return nil
    } catch {
      return RigArguments.isRig(words[0], error) ? words[0] : nil
    }
  }

  /// Splits a word with blanks into plugins and values.
  ///
  /// Words without values that are the name of a plugin together stay together.
  private static func split(_ word: String, _ library: PluginLibrary) throws -> [String] {
    var result: [String] = []
    var pending: [String] = []
    func flush() {
      guard !pending.isEmpty else { return }
      let whole = pending.joined(separator: " ")
      let isName = pending.count == 1 || (try? library.find(whole)) != nil
      result += isName ? [whole] : pending
      pending = []
    }
    for part in word.split(separator: " ").map(String.init) {
      if ChainLink.isAssignment(part) {
        flush()
        result.append(part)
      } else {
        pending.append(part)
      }
    }
    flush()
    guard !result.isEmpty else { throw UsageError("The name of a file, plugin or rig is empty.") }
    return result
  }

  /// Renders to a temporary file in 32-bit float.
  ///
  /// - Throws: `SideError` with the message of the rendering.
  func render(_ interruption: TerminationSignals) throws -> ComparisonInput {
    let output = try UnnamedFile()
    let signal = usesTestSignal ? try TestSignal.file() : nil
    let source = input.map { ["-i", $0] } ?? []
    let process = RenderProcess(arguments + source + ["-o", "-", "--format", "float"])
    do {
      let notes = try process.run(
        input: signal?.descriptor, output: output.descriptor, interruption)
      for note in notes { Terminal.error.writeLine("outboard: \(named(note))") }
    } catch let error as SideError {
      throw SideError(description: named(error.description), kind: error.kind)
    }
    return try ComparisonInput(rendering: output, name: name)
  }

  /// Adds the side to a message.
  func named(_ message: String) -> String {
    message.hasPrefix(name) ? message : "\(name): \(message)"
  }

  /// Joins values with the plugin before them: one group for each side.
  ///
  /// - Throws: `UsageError` for a value without a plugin.
  static func groups(_ words: [String]) throws -> [[String]] {
    var groups: [[String]] = []
    for word in words {
      guard ChainLink.isAssignment(word), !word.contains(" ") else {
        groups.append([word])
        continue
      }
      guard !groups.isEmpty else {
        throw UsageError("\(word) has no plugin before it. Name a plugin first.")
      }
      groups[groups.count - 1].append(word)
    }
    return groups
  }
}
