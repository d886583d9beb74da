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
  /// The parameter values that a rig sets for a node.
  struct WrittenValues: Sendable, Equatable {
    var node: String
    var values: [RigParameter]
  }

  /// The rig with its current values.
  var rig = EncodedRig()
  /// The text of the rig file as it was read; nil for plugins of the command line.
  var readText: String?
  /// The parameter values of the rig without those set by hand, which `rig` contains as well.
  var written: [WrittenValues] = []
  /// The number of changes.
  package var revision: UInt64 = 0
  /// The scene that was recalled or stored last; nil for none.
  var scene: String?
  /// The changes that can be undone and repeated, for `UndoHistory`.
  var history: [UInt8] = []
  /// The descriptor of the socket for the session manager; nil for none.
  package var managerSocket: Int32?
  /// The file that the session manager has opened; nil for none.
  package var managedFile: String?

  /// The record in a form for `init(bytes:)`. [any]
  package var bytes: [UInt8] {
    var writer = BinaryEncoder()
    writer.write(rig)
    writer.write(readText)
    writer.write(written) { writer, node in
      writer.write(node.node)
      writer.write(node.values) { writer, value in
        writer.write(value.symbol)
        writer.write(value.text)
      }
    }
    writer.write(revision)
    writer.write(scene)
    writer.write(bytes: history)
    writer.write(managerSocket ?? -1)
    writer.write(managedFile)
    return writer.bytes
  }

  init() {}

  /// A record of `bytes`; nil if they are damaged. [any]
  package init?(bytes: [UInt8]) {
    let isRead = unsafe bytes.withUnsafeBytes { bytes in
      var reader = unsafe BinaryDecoder(bytes)
      do throws(BinaryDecodingError) {
        rig = try reader.rig()
        readText = try reader.optionalText()
        written = try reader.list { reader throws(BinaryDecodingError) in
          let node = try reader.text()
          let values = try reader.list { reader throws(BinaryDecodingError) in
            RigParameter(symbol: try reader.text(), text: try reader.text())
          }
          return WrittenValues(node: node, values: values)
        }
        revision = try reader.number()
        scene = try reader.optionalText()
        history = try reader.byteList()
        let socket: Int32 = try reader.number()
        managerSocket = socket < 0 ? nil : socket
        managedFile = try reader.optionalText()
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
    var description = try rig.read()
    description.text.value = readText
    return description
  }
}

extension BinaryEncoder {
  fileprivate mutating func write(_ text: String?) {
    write(text != nil)
    write(text ?? "")
  }
}

extension BinaryDecoder {
  fileprivate mutating func optionalText() throws(BinaryDecodingError) -> String? {
    let isPresent = try flag()
    let text = try text()
    return isPresent ? text : nil
  }
}

extension LiveSession {
  /// Returns what the session would continue with. [main]
  ///
  /// - Parameters:
  ///   - revision: the number of changes.
  ///   - limit: the longest history in bytes. Older changes are left out.
  /// - Returns: the record.
  package func restartRecord(revision: UInt64, historyBytes limit: Int) -> RestartRecord {
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
      guard let recording = member.nodes.first?.capabilities[Recording.self] else { continue }
      rig.nodes[index].settings.removeAll { $0.key == "autostart" }
      rig.nodes[index].settings.append(
        BuiltinSetting(key: "autostart", text: recording.wanted == .recording ? "true" : "false"))
    }
    record.rig = EncodedRig(rig)
    record.readText = active.rig.rig.text.value
    record.written = active.rig.rig.nodes.map { .init(node: $0.name, values: $0.parameters) }
    record.revision = revision
    record.scene = scenes.first(where: \.isCurrent)?.name
    record.history = active.history.encoded(atMost: limit)
    return record
  }

  /// The musical position in beats, and the tempo in beats a minute. [main]
  package var musicalPosition: (beat: Double, beatsPerMinute: Double)? {
    guard let transport = graph.engine.transport else { return nil }
    let position = unsafe transport.pointer.pointee.position
    return (position.beat, position.speed > 0 ? position.beatsPerMinute : 0)
  }

  /// Continues with the history and a scene, at a musical position in beats. [main, before `start`]
  package func resume(_ record: RestartRecord, atBeat beat: Double?) {
    sceneControl.resume(record.scene)
    active.resume(record)
    guard let beat, let transport = graph.engine.transport else { return }
    let position = unsafe transport.pointer.pointee.position
    let frame = beat * 60 * position.framesPerSecond / position.beatsPerMinute
    guard frame.isFinite, abs(frame) < 1e15 else { return }
    transport.locate(frame: Int64(frame.rounded()))
  }
}

extension ActiveRig {
  /// Continues with the history of an earlier process image.
  ///
  /// The nodes have all values. The values that were set by hand do not become values of the rig, because another rig
  /// would reset them.
  fileprivate func resume(_ record: RestartRecord) {
    let written = Dictionary(record.written.map { ($0.node, $0.values) }) { first, _ in first }
    var resumed = rig
    for index in resumed.rig.nodes.indices {
      let node = resumed.rig.nodes[index]
      // With their positions, which distinguish the values of a nested rig from those that are set for it.
      let known = (node.origin?.parameters ?? []) + node.parameters
      resumed.rig.nodes[index].parameters =
        written[node.name]?.map { value in
          known.first { $0.symbol == value.symbol && $0.text == value.text } ?? value
        } ?? node.parameters
    }
    if let plan = try? resumed.plan(for: stream), graph.replaceWrittenValues(by: plan) {
      rig = resumed
    }
    history = UndoHistory(bytes: record.history) ?? UndoHistory()
  }
}
