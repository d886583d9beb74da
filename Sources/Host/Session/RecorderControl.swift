// RecorderControl.swift: the recorders of a session. SPDX-License-Identifier: MIT

import AudioDriver
import FileRecording
import FoundationEssentials
import Glibc
import PluginModel
import RealtimeKit
import RigPlanning

/// Sends commands to the recorders of the active rig.
struct RecorderControl {
  let active: ActiveRig

  private typealias Recorder = (name: String, part: Recording)

  /// Sends a command to one recorder or to all, which start or stop at the same frame.
  ///
  /// - Parameters:
  ///   - order: the command; nil to read the status.
  ///   - name: the recorder's name in the rig, in any letter case; nil for all.
  /// - Returns: a status message for each recorder.
  /// - Throws: an error if no such recorder exists, or the error of the only one.
  func perform(_ order: RecorderCommand?, node name: String?) throws -> [String] {
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
    let all = active.graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.capabilities[Recording.self].map { (member.name, $0) }
      }
    }
    return try NodeChoice.choose(name, among: all, what: "recorder")
  }

  /// Returns the same frame in the position of each recorder.
  ///
  /// It is slightly in the future, so no writer has reached it.
  ///
  /// The positions are read right after a block, because within a block only some of the recorders
  /// have received it.
  private func positions(of recorders: [Recorder]) -> [Int?] {
    func all() -> [Int] { recorders.map { unsafe $0.part.ring.pointee.offeredFrameCount } }
    var found = all()
    for _ in 0 ..< 20 {
      let before = active.graph.renderedFrameCount
      let deadline = Date().addingTimeInterval(0.05)
      while active.graph.renderedFrameCount == before, Date() < deadline {
        usleep(100)
      }
      let ended = active.graph.renderedFrameCount
      found = all()
      if active.graph.renderedFrameCount == ended, found == all() { break }
    }
    let margin = Int(active.stream.sampleRateHz / 50)
    return found.map { $0 + margin }
  }
}
