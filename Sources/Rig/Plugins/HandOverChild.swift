// HandOverChild.swift: what code remembers handed to what it has become, where it may crash. SPDX-License-Identifier: MIT

import Catalogue
import Foundation
import ModuleHost
import PluginModel

/// Hands the state of a module to the code that takes its place, in a child process: a `restore` that takes the
/// bytes of another struct for its own would take the run with it.
package enum HandOverChild {
  /// The hidden first argument with which the program starts as this child.
  package static let argument = "--hand-over-child"
  private static let patienceSeconds = 10.0

  /// Reads from standard input what is to be handed over, tries it, says so, and ends. [main, in the child]
  package static func run() -> Never {
    let words = String(
      decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self
    ).split(separator: "\0").map(String.init)
    // What the code prints is no part of the answer.
    let answer = dup(STDOUT_FILENO)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    guard answer >= 0, words.count == 4, let rate = Double(words[2]), let longest = Int(words[3])
    else { _exit(1) }
    // What throws does so in good order, and would where it is used.
    try? handOver(
      from: words[0], to: words[1],
      at: Trial.Conditions(sampleRateHz: rate, maximumFrameCount: longest))
    FileHandle(fileDescriptor: answer).write(Data([1]))
    // Not `exit`: what the code has registered to be run then may crash.
    _exit(0)
  }

  private static func handOver(
    from old: String, to new: String, at conditions: Trial.Conditions
  ) throws {
    let before = try ModuleTrial.node(ModuleManifestReader.describe(manifest: old), conditions)
    before.activate()
    ModuleTrial.render(before, longest: conditions.maximumFrameCount)
    guard let bytes = before.save() else { return }
    let after = try ModuleTrial.node(ModuleManifestReader.describe(manifest: new), conditions)
    try? after.restore(bytes)
    after.activate()
    ModuleTrial.render(after, longest: conditions.maximumFrameCount)
  }

  /// Whether code survives what the code before it gives it; manifests beside the libraries. [any]
  static func isSurvived(
    from old: String, to new: String, at conditions: Trial.Conditions, by command: ChildCommand
  ) -> Bool {
    let words = [old, new, "\(conditions.sampleRateHz)", "\(conditions.maximumFrameCount)"]
    let question = Data(words.joined(separator: "\0").utf8)
    return ChildQuestion.answer(
      to: question, argument: argument, by: command, withinSeconds: patienceSeconds) != nil
  }
}
