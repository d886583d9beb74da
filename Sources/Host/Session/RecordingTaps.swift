// RecordingTaps.swift: recorders of the command line. SPDX-License-Identifier: MIT

import FileRecording
import FoundationEssentials
import Glibc
import Metering
package import PluginLoading
import PluginModel
package import RigSchema

/// A recorder of the output and a recorder of the input of a rig.
///
/// The recorders are connected in parallel to the output and input of the rig. The rig itself is not changed.
package struct RecordingTaps: Sendable {
  private struct Tap {
    /// A name that is not legal in a rig.
    let name: String
    let path: String
    let channelCount: Int
  }

  /// The names of the recorders.
  private static let outputName = "--record"
  private static let inputName = "--record-input"

  private var taps: [Tap] = []
  /// Whether the rig has no recorder.
  var isEmpty: Bool { taps.isEmpty }

  /// Creates recorders for a rig, with the channel counts of its output and input. [main]
  ///
  /// - Parameters:
  ///   - output: the file for the output, relative to the working directory; nil for none.
  ///   - input: the file for the input, relative to the working directory; nil for none.
  ///   - rig: the rig to run.
  /// - Throws: errors of a file or of the rig's connections.
  package init(output: String?, input: String?, for rig: PreparedRig) throws {
    if let output {
      guard rig.rig.connections.contains(where: Self.isPlayed) else {
        throw SessionError.nothingPlayed
      }
      try add(Self.outputName, output, try rig.playedChannelCount)
    }
    if let input { try add(Self.inputName, input, rig.wantedInputCount) }
  }

  /// Errors of the file are thrown here, because they are not errors of the rig.
  private mutating func add(
    _ name: String, _ path: String, _ channelCount: Int
  ) throws {
    try RecorderSettings(path: path, channelCount: channelCount).checkDirectory()
    taps.append(
      Tap(
        name: name, path: PreparedRig.whole(path),
        channelCount: channelCount))
  }

  /// Adds the recorders to a rig. [any]
  package func add(to rig: inout RigDescription) {
    for tap in taps {
      rig.nodes.append(
        RigNode(
          name: tap.name, source: .builtin(RecorderSettings.word),
          settings: [
            BuiltinSetting(key: "file", text: tap.path),
            BuiltinSetting(key: "channels", text: "\(tap.channelCount)"),
          ]))
    }
    Self.connect(in: &rig)
  }

  /// Removes the connections to the recorders from a rig that will be changed. [any]
  static func disconnect(in rig: inout RigDescription) { rig.connections.removeAll(where: isTap) }

  /// Connects the recorders of a rig to its input and its present output. [any]
  static func connect(in rig: inout RigDescription) {
    let played = rig.connections.filter(isPlayed)
    for name in rig.nodes.map(\.name) where isTap(name) {
      if name == inputName {
        rig.connections.append(
          RigConnection(
            from: ConnectionEndpoint(location: .input),
            to: ConnectionEndpoint(location: .node(name))))
      } else {
        rig.connections += played.map { connection in
          var copy = connection
          copy.to.location = .node(name)
          return copy
        }
      }
    }
  }

  private static func isPlayed(_ connection: RigConnection) -> Bool {
    connection.to.location == .output && !connection.carriesMIDI
  }

  /// Removes the recorders from a rig that will be saved. [any]
  static func remove(from rig: inout RigDescription) {
    rig.nodes.removeAll { isTap($0.name) }
    rig.connections.removeAll(where: isTap)
    for index in rig.scenes.indices {
      rig.scenes[index].values.removeAll { isTap(ConnectionSpecifier($0.symbol)?.sink) }
    }
  }

  /// Adds the recorders of the command line to a rig of the time before a restart. [any]
  ///
  /// Its other recorders get the settings of the present rig, because they continue in other files since the restart.
  static func restore(in rig: inout RigDescription, from present: RigDescription) {
    rig.nodes += present.nodes.filter { isTap($0.name) }
    connect(in: &rig)
    let recorders = present.nodes.filter { $0.source == .builtin(RecorderSettings.word) }
    for index in rig.nodes.indices {
      guard
        let recorder = recorders.first(where: {
          $0.name == rig.nodes[index].name && $0.source == rig.nodes[index].source
        })
      else { continue }
      rig.nodes[index].settings = recorder.settings
    }
  }

  /// Returns whether a node is such a recorder. [any]
  static func isTap(_ name: String?) -> Bool { name?.hasPrefix(outputName) ?? false }

  /// Returns whether a connection leads to such a recorder. [any]
  static func isTap(_ connection: RigConnection) -> Bool { isTap(connection.to.nodeName) }

  /// Copies the current gains of the output connections to the output recorder. [any]
  static func follow(_ rig: inout RigDescription) {
    for index in rig.connections.indices where isTap(rig.connections[index]) {
      var played = rig.connections[index]
      played.to.location = .output
      guard let now = rig.connections.first(where: played.isAlike) else { continue }
      rig.connections[index].gainDecibels = now.gainDecibels
    }
  }
}

extension PreparedRig {
  /// Returns a prepared rig with the recorders. [main]
  ///
  /// - Throws: the same errors as `init`.
  package func with(_ taps: RecordingTaps, _ library: PluginLibrary) throws -> PreparedRig {
    guard !taps.isEmpty else { return self }
    var description = rig
    taps.add(to: &description)
    var result = try PreparedRig(description, library)
    result.runsPreflight = runsPreflight
    return result
  }

  /// Checks that all recordings can start, before anything is opened. [main]
  ///
  /// - Throws: `AudioFileError`, `SessionError.recordedTwice`, or `SessionError.loggedTwice`.
  package func checkRecordings() throws {
    var paths: Set<String> = []
    for request in plugins.compactMap(RecorderSettings.init) {
      try request.checkDirectory()
      guard paths.insert(Self.whole(request.path)).inserted else {
        throw SessionError.recordedTwice(path: request.path)
      }
    }
    for log in plugins.compactMap({ MeterSettings($0)?.log }) {
      guard paths.insert(Self.whole(log.path)).inserted else {
        throw SessionError.loggedTwice(path: log.path)
      }
    }
  }

  /// Returns an absolute path.
  fileprivate static func whole(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }
}
