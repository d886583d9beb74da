// RestartRecord.swift: what a session continues with after a fault in its process. SPDX-License-Identifier: MIT

import AudioDriver
import FileRecording
import FoundationEssentials
import PluginCatalogue
import PluginModel
import RenderGraph
import RigPlanning
package import RigSchema

/// The state of a session that continues in another process image.
package struct RestartRecord: Sendable, Equatable {
  /// The rig with its current values, as a rig file.
  package var rig = ""
  /// The path of the rig file; empty for plugins of the command line.
  package var file = ""
  /// The names of the nodes outside of nested rigs, some of which a rig file cannot have.
  package var nodes: [String] = []
  /// The number of changes.
  package var revision: UInt64 = 0
  /// The scene that was recalled or stored last; nil for none.
  package var scene: String?

  /// An empty record.
  package init() {}

  /// The record in a form for `init(bytes:)`. [any]
  package var bytes: [UInt8] {
    var writer = BinaryEncoder()
    writer.write(rig)
    writer.write(file)
    writer.write(nodes) { $0.write($1) }
    writer.write(revision)
    writer.write(scene != nil)
    writer.write(scene ?? "")
    return writer.bytes
  }

  /// A record of `bytes`; nil if they are damaged. [any]
  package init?(bytes: [UInt8]) {
    let isRead = bytes.withUnsafeBytes { bytes in
      var reader = BinaryDecoder(bytes)
      do throws(BinaryDecodingError) {
        rig = try reader.text()
        file = try reader.text()
        nodes = try reader.list { reader throws(BinaryDecodingError) in try reader.text() }
        revision = try reader.number()
        let hasScene = try reader.flag()
        let name = try reader.text()
        scene = hasScene ? name : nil
        return true
      } catch {
        return false
      }
    }
    guard isRead else { return nil }
  }

  /// Reads the rig, with the names that the nodes had. [any]
  ///
  /// - Throws: `ManifestError`.
  package func readRig() throws -> RigDescription {
    var description = try RigReader.read(text: rig, file: file)
    let own = description.nodes.indices.filter { description.nodes[$0].origin == nil }
    guard own.count == nodes.count else { return description }
    let names = Dictionary(
      zip(own.map { description.nodes[$0].name }, nodes).filter { $0 != $1 }
    ) { first, _ in first }
    for index in own {
      description.nodes[index].name =
        names[description.nodes[index].name] ?? description.nodes[index].name
    }
    func renamed(_ end: ConnectionEndpoint) -> ConnectionEndpoint {
      guard case .node(let name) = end.place, let former = names[name] else { return end }
      var end = end
      end.place = .node(former)
      return end
    }
    for index in description.connections.indices {
      description.connections[index].from = renamed(description.connections[index].from)
      description.connections[index].to = renamed(description.connections[index].to)
    }
    return description
  }
}

extension LiveSession {
  /// Returns what the session would continue with. [main]
  package func restartRecord(revision: UInt64) -> RestartRecord {
    var record = RestartRecord()
    let file = active.rig.rig.file
    let directory =
      file.isEmpty
      ? FileManager.default.currentDirectoryPath
      : URL(fileURLWithPath: file).deletingLastPathComponent().path
    var rig = RigSaver(active: active).rigNow(in: directory)
    // The working directory stays the same. With another path, a source would be compiled again.
    if file.isEmpty {
      for index in rig.nodes.indices {
        rig.nodes[index].source = active.rig.rig.nodes[index].source
      }
    }
    for (index, member) in graph.members.enumerated() where index < rig.nodes.count {
      guard let recording = member.nodes.first?.abilities[Recording.self] else { continue }
      rig.nodes[index].settings.removeAll { $0.key == "autostart" }
      rig.nodes[index].settings.append(
        BuiltinSetting(key: "autostart", text: recording.wanted == .recording ? "true" : "false"))
    }
    RecordingTaps.remove(from: &rig)
    record.rig = RigWriter.text(of: rig)
    record.file = file
    record.nodes = rig.nodes.filter { $0.origin == nil }.map(\.name)
    record.revision = revision
    record.scene = scenes.first(where: \.isCurrent)?.name
    return record
  }

  /// The musical position in beats, and the tempo in beats a minute. [main]
  package var musicalPosition: (beat: Double, beatsPerMinute: Double)? {
    guard let transport = graph.engine.transport else { return nil }
    let position = transport.pointer.pointee.position
    return (position.beat, position.speed > 0 ? position.beatsPerMinute : 0)
  }

  /// Continues at a scene and a musical position in beats. [main, before `start`]
  package func resume(_ record: RestartRecord, atBeat beat: Double?) {
    sceneControl.resume(record.scene)
    guard let beat, let transport = graph.engine.transport else { return }
    let position = transport.pointer.pointee.position
    let frame = beat * 60 * position.framesPerSecond / position.beatsPerMinute
    guard frame.isFinite, abs(frame) < 1e15 else { return }
    transport.locate(frame: Int64(frame.rounded()))
  }
}
