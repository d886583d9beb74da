// LiveSession+Recorders.swift: recorders of a running rig, and what they are told. SPDX-License-Identifier: MIT

import AudioDriver
package import FileRecording
import FoundationEssentials
import Glibc
import PluginModel
import RealtimeKit
import RenderGraph
import Rig

extension LiveSession {
  private typealias Recorder = (name: String, part: Recording)

  /// Tells a recorder something, or all of them, that take it as from the same frame on. [main]
  ///
  /// - Parameters:
  ///   - order: what they are told; nil to ask how they stand.
  ///   - name: the recorder's name in the rig, in any letter case; nil for all.
  /// - Returns: what they do now, one sentence each.
  /// - Throws: where there is no such recorder, or what the only one has against it.
  package func record(_ order: RecorderCommand?, node name: String?) throws -> [String] {
    let recorders = try recorders(named: name)
    guard let order else { return recorders.map { "\($0.name) \($0.part.state)." } }
    let positions = recorders.count > 1 ? positions(of: recorders) : [nil]
    var (sentences, refusals): ([String], [any Error]) = ([], [])
    for ((name, recording), position) in zip(recorders, positions) {
      do {
        sentences.append("\(name) \(try recording.order(order, at: position)).")
      } catch {
        refusals.append(NodeCommandError(node: name, reason: "\(error)"))
      }
    }
    if sentences.isEmpty, let first = refusals.first { throw first }
    return sentences + refusals.map { "\($0)" }
  }

  private func recorders(named name: String?) throws -> [Recorder] {
    let all = graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.abilities[Recording.self].map { (member.name, $0) }
      }
    }
    return try choose(name, among: all, what: "recorder")
  }

  /// Those that are meant among nodes of one kind. [main]
  func choose<Part>(
    _ name: String?, among all: [(name: String, part: Part)], what: String
  ) throws -> [(name: String, part: Part)] {
    guard !all.isEmpty else {
      throw SetValueError(sentences: ["This rig has no \(what); put one in as builtin: \(what)."])
    }
    guard let name else { return all }
    let chosen = all.filter { $0.name.lowercased() == name.lowercased() }
    guard chosen.isEmpty else { return chosen }
    let names = all.map(\.name)
    let hint =
      nearest(to: name, among: names).map { "did you mean \($0)?" }
      ?? "there is \(names.joined(separator: ", "))."
    throw SetValueError(sentences: ["No \(what) of this rig is called \(name); \(hint)"])
  }

  /// The same moment for each of them, a little later: their writers have not come to it yet.
  ///
  /// They are compared right after a block has been rendered, as within it some have heard it, others not.
  private func positions(of recorders: [Recorder]) -> [Int?] {
    func all() -> [Int] { recorders.map { $0.part.ring.pointee.offeredFrameCount } }
    var found = all()
    for _ in 0 ..< 20 {
      let before = renderedFrameCount
      let patience = Date().addingTimeInterval(0.05)
      while renderedFrameCount == before, Date() < patience {
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

/// Why a node does not do what it is told.
package struct NodeCommandError: Error, Equatable, CustomStringConvertible {
  let node: String
  let reason: String

  /// One sentence that begins with the node's name.
  package var description: String { "\(node): \(reason)" }
}
