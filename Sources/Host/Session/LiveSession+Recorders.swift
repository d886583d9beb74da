// LiveSession+Recorders.swift: the recorders of a session. SPDX-License-Identifier: MIT

import AudioDriver
package import FileRecording
import FoundationEssentials
import Glibc
import PluginModel
import RealtimeKit
import RenderGraph
import RigPlanning

extension LiveSession {
  private typealias Recorder = (name: String, part: Recording)

  /// Sends a command to one recorder or to all, which start or stop at the same frame. [main]
  ///
  /// - Parameters:
  ///   - order: the command; nil to read the status.
  ///   - name: the recorder's name in the rig, in any letter case; nil for all.
  /// - Returns: a status message for each recorder.
  /// - Throws: an error if no such recorder exists, or the error of the only one.
  package func record(_ order: RecorderCommand?, node name: String?) throws -> [String] {
    let recorders = try recorders(named: name)
    guard let order else { return recorders.map { "\($0.name) \($0.part.state)." } }
    let positions = recorders.count > 1 ? positions(of: recorders) : [nil]
    var (messages, refusals): ([String], [any Error]) = ([], [])
    for ((name, recording), position) in zip(recorders, positions) {
      do {
        messages.append("\(name) \(try recording.perform(order, at: position)).")
      } catch {
        refusals.append(NodeCommandError(node: name, reason: "\(error)"))
      }
    }
    if messages.isEmpty, let first = refusals.first { throw first }
    return messages + refusals.map { "\($0)" }
  }

  private func recorders(named name: String?) throws -> [Recorder] {
    let all = graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.abilities[Recording.self].map { (member.name, $0) }
      }
    }
    return try choose(name, among: all, what: "recorder")
  }

  /// Returns the requested nodes among nodes of one kind. [main]
  func choose<Part>(
    _ name: String?, among all: [(name: String, part: Part)], what: String
  ) throws -> [(name: String, part: Part)] {
    guard !all.isEmpty else {
      throw SetValueError(messages: ["This rig has no \(what). Add a node with builtin: \(what)."])
    }
    guard let name else { return all }
    let chosen = all.filter { $0.name.lowercased() == name.lowercased() }
    guard chosen.isEmpty else { return chosen }
    let names = all.map(\.name)
    let hint =
      nearest(to: name, among: names).map { "did you mean \($0)?" }
      ?? "the rig has \(names.joined(separator: ", "))."
    throw SetValueError(messages: ["No such \(what): \(name); \(hint)"])
  }

  /// Returns the same frame in the position of each recorder.
  ///
  /// It is slightly in the future, so no writer has reached it.
  ///
  /// The positions are read right after a block, because within a block only some of the recorders
  /// have received it.
  private func positions(of recorders: [Recorder]) -> [Int?] {
    func all() -> [Int] { recorders.map { $0.part.ring.pointee.offeredFrameCount } }
    var found = all()
    for _ in 0 ..< 20 {
      let before = renderedFrameCount
      let deadline = Date().addingTimeInterval(0.05)
      while renderedFrameCount == before, Date() < deadline {
        usleep(100)
      }
      let ended = renderedFrameCount
      found = all()
      if renderedFrameCount == ended, found == all() { break }
    }
    let margin = Int(stream.sampleRateHz / 50)
    return found.map { $0 + margin }
  }
}

/// The reason why a node cannot execute a command.
package struct NodeCommandError: Error, Equatable, CustomStringConvertible {
  let node: String
  let reason: String

  /// The message, which begins with the node's name.
  package var description: String { "\(node): \(reason)" }
}
