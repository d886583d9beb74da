// RecordingTaps.swift: recorders that a command line puts beside a rig. SPDX-License-Identifier: MIT

import FileRecording
import FoundationEssentials
import Glibc
import PluginModel
package import Rig

/// A recorder of what a rig plays and one of what comes in, as far as they are asked for.
///
/// They hear what leads to the rig's output, and what its input gives: nothing of the rig is changed.
package struct RecordingTaps: Sendable {
  private struct Tap {
    /// No rig can have a node of such a name.
    let name: String
    let path: String
    let channelCount: Int
    let isOfInput: Bool
  }

  private var taps: [Tap] = []
  /// Whether none is asked for.
  var isEmpty: Bool { taps.isEmpty }

  /// Recorders for a rig, beside which they have as many channels as it plays and hears. [main]
  ///
  /// - Parameters:
  ///   - output: the file for what is played, seen from where the user is; nil for none.
  ///   - input: the file for what comes in, likewise.
  ///   - rig: as it is to be run.
  /// - Throws: what is wrong with a file, or with the rig's connections.
  package init(output: String?, input: String?, for rig: PreparedRig) throws {
    if let output {
      guard rig.rig.connections.contains(where: Self.isPlayed) else {
        throw SessionError.nothingPlayed
      }
      try add("--record", output, try rig.playedChannelCount, isOfInput: false)
    }
    if let input { try add("--record-input", input, rig.wantedInputCount, isOfInput: true) }
  }

  /// What is wrong with the file is told here, as it is no fault of the rig's.
  private mutating func add(
    _ name: String, _ path: String, _ channelCount: Int, isOfInput: Bool
  ) throws {
    try RecorderSettings(path: path, channelCount: channelCount).checkPlace()
    taps.append(
      Tap(
        name: name, path: PreparedRig.whole(path),
        channelCount: channelCount, isOfInput: isOfInput))
  }

  /// Puts the recorders beside a rig. [any]
  package func add(to rig: inout RigDescription) {
    let played = rig.connections.filter(Self.isPlayed)
    for tap in taps {
      rig.nodes.append(
        RigNode(
          name: tap.name, source: .builtin(RecorderSettings.word),
          settings: [
            BuiltinSetting(key: "file", text: tap.path),
            BuiltinSetting(key: "channels", text: "\(tap.channelCount)"),
          ]))
      if tap.isOfInput {
        rig.connections.append(
          RigConnection(
            from: ConnectionEndpoint(place: .input), to: ConnectionEndpoint(place: .node(tap.name)))
        )
      } else {
        rig.connections += played.map { connection in
          var copy = connection
          copy.to.place = .node(tap.name)
          return copy
        }
      }
    }
  }

  private static func isPlayed(_ connection: RigConnection) -> Bool {
    connection.to.place == .output && !connection.isOfMIDI
  }

  /// Takes such recorders out of a rig that is to be written down. [any]
  static func remove(from rig: inout RigDescription) {
    rig.nodes.removeAll { isTap($0.name) }
    rig.connections.removeAll(where: isTap)
    for index in rig.scenes.indices {
      rig.scenes[index].values.removeAll { isTap(ConnectionSpecifier($0.symbol)?.sink) }
    }
  }

  /// Whether a node is such a recorder. [any]
  static func isTap(_ name: String?) -> Bool { name?.hasPrefix("--record") ?? false }

  /// Whether a connection leads to one. [any]
  static func isTap(_ connection: RigConnection) -> Bool { isTap(connection.to.nodeName) }

  /// Gives the recorder of what is played the gains that now lead to the output. [any]
  static func follow(_ rig: inout RigDescription) {
    for index in rig.connections.indices where isTap(rig.connections[index]) {
      var played = rig.connections[index]
      played.to.place = .output
      guard let now = rig.connections.first(where: played.isAlike) else { continue }
      rig.connections[index].gainDecibels = now.gainDecibels
    }
  }
}

extension PreparedRig {
  /// The same with recorders beside it. [main]
  ///
  /// - Throws: what is wrong with them, as `init`.
  package func with(_ taps: RecordingTaps, _ library: PluginLibrary) throws -> PreparedRig {
    guard !taps.isEmpty else { return self }
    var description = rig
    taps.add(to: &description)
    var result = try PreparedRig(description, library)
    result.triesPlugins = triesPlugins
    return result
  }

  /// Refuses recordings that could not be begun now, before anything is opened. [main]
  ///
  /// - Throws: `AudioFileError`, or `SessionError.recordedTwice`.
  package func checkRecordings() throws {
    var paths: Set<String> = []
    for request in plugins.compactMap(RecorderSettings.init) {
      try request.checkPlace()
      guard paths.insert(Self.whole(request.path)).inserted else {
        throw SessionError.recordedTwice(path: request.path)
      }
    }
  }

  /// A path that is right from everywhere.
  fileprivate static func whole(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }
}
