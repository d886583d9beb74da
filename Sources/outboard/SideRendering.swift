// SideRendering.swift: a plugin or a rig that is rendered for a comparison. SPDX-License-Identifier: MIT

import AudioFiles
import Console
import ErrorModel
import FoundationEssentials
import Glibc
import Metering
import PluginCatalogue
import PluginLoading
import PluginModel
import Processes
import RigSchema
import Session

/// A side that `outboard render` renders in another process to a temporary file.
struct SideRendering {
  /// The words of the user.
  let name: String
  private let arguments: [String]
  private let input: String?
  private let usesTestSignal: Bool
  private static let pollSeconds = 0.02

  /// Finds the plugins or the rig.
  ///
  /// - Throws: errors of the plugins, of their values, and of the rig.
  init(_ words: [String], _ options: SideArguments, _ library: PluginLibrary) throws {
    name = words.joined(separator: " ")
    let prepared: PreparedRig
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
    guard !result.isEmpty else { throw UsageError("The name of a side is empty.") }
    return result
  }

  /// Renders to a temporary file in 32-bit float.
  ///
  /// - Throws: `SideError` with the message of the rendering.
  func render(_ interruption: TerminationSignals) throws -> ComparisonInput {
    let (output, messages) = (try UnnamedFile(), try UnnamedFile())
    let signal = usesTestSignal ? try TestSignal.file() : nil
    let source = input.map { ["-i", $0] } ?? []
    var spawn = ProcessSpawn(
      [ThisProgram.path, "render"] + arguments + source + ["-o", "-", "--format", "float"])
    (spawn.input, spawn.output, spawn.errors) = (
      signal?.descriptor, output.descriptor, messages.descriptor
    )
    let process: pid_t
    do {
      process = try spawn.start()
    } catch {
      let reason = String(cString: strerror(error.code))
      throw SideError(description: "Cannot start a render process: \(reason).", kind: .failure)
    }
    let status = wait(for: process, interruption)
    let lines = Self.lines(messages)
    guard status == 0 else { throw error(status, lines) }
    for line in lines { Terminal.error.writeLine("outboard: \(named(line))") }
    withExtendedLifetime(signal) {}
    return try ComparisonInput(rendering: output, name: name)
  }

  /// Waits for the end, and passes a request to end on.
  private func wait(for process: pid_t, _ interruption: TerminationSignals) -> Int32 {
    var status: Int32 = 0
    var isStopped = false
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status }
      if ended < 0, errno != EINTR { return 1 << 8 }
      if interruption.isRaised {
        if !isStopped { kill(process, SIGTERM) }
        isStopped = true
        usleep(UInt32(Self.pollSeconds * 1e6))
      } else {
        interruption.wait(seconds: Self.pollSeconds)
      }
    }
  }

  private func error(_ status: Int32, _ lines: [String]) -> SideError {
    let signal = status & 0x7f
    let code = (status >> 8) & 0xff
    let other =
      signal == 0
      ? "The render process ended with status \(code)."
      : "The render process \(ChildExit.signalled(signal).text)."
    for line in lines.dropLast() { Terminal.error.writeLine("outboard: \(named(line))") }
    return SideError(
      description: named(lines.last ?? other), kind: signal == 0 && code == 2 ? .usage : .failure)
  }

  /// Adds the side to a message.
  private func named(_ message: String) -> String {
    message.hasPrefix(name) ? message : "\(name): \(message)"
  }

  /// Returns the messages on standard error, without the result.
  private static func lines(_ file: UnnamedFile) -> [String] {
    file.rewind()
    var text = Data()
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(file.descriptor, &bytes, bytes.count), count > 0 {
      text.append(contentsOf: bytes[..<count])
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      line.hasPrefix("outboard: ") ? String(line.dropFirst(10)) : nil
    }
  }
}

/// A side could not be rendered.
struct SideError: HostError {
  let description: String
  let kind: ErrorKind
}
