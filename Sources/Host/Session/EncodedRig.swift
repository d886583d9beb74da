// EncodedRig.swift: a rig in a form that another process image can read. SPDX-License-Identifier: MIT

import PluginCatalogue
import RigPlanning
import RigSchema

/// A rig as text, with what a rig file cannot contain.
package struct EncodedRig: Sendable, Equatable {
  /// The rig, as a rig file.
  var text = ""
  /// The path of the rig file; empty for plugins of the command line.
  var file = ""
  /// The names of the nodes outside of nested rigs, some of which a rig file cannot have.
  var nodes: [String] = []

  /// An empty rig.
  init() {}

  /// Encodes a rig without the recorders of the command line. [any]
  init(_ rig: RigDescription) {
    var rig = rig
    RecordingTaps.remove(from: &rig)
    text = RigWriter.text(of: rig)
    file = rig.file
    nodes = rig.nodes.filter { $0.origin == nil }.map(\.name)
  }

  /// Reads the rig, with the names that the nodes had. [any]
  ///
  /// - Throws: `ManifestError`.
  func read() throws -> RigDescription {
    var description = try RigReader.read(text: text, file: file)
    let outerNodes = description.nodes.indices.filter { description.nodes[$0].origin == nil }
    guard outerNodes.count == nodes.count else { return description }
    let names = Dictionary(
      zip(outerNodes.map { description.nodes[$0].name }, nodes).filter { $0 != $1 }
    ) { first, _ in first }
    for index in outerNodes {
      description.nodes[index].name =
        names[description.nodes[index].name] ?? description.nodes[index].name
    }
    func renamed(_ end: ConnectionEndpoint) -> ConnectionEndpoint {
      guard case .node(let name) = end.location, let former = names[name] else { return end }
      var end = end
      end.location = .node(former)
      return end
    }
    for index in description.connections.indices {
      description.connections[index].from = renamed(description.connections[index].from)
      description.connections[index].to = renamed(description.connections[index].to)
    }
    return description
  }
}

extension BinaryEncoder {
  /// Appends a rig. [any]
  mutating func write(_ rig: EncodedRig) {
    write(rig.text)
    write(rig.file)
    write(rig.nodes) { $0.write($1) }
  }
}

extension BinaryDecoder {
  /// Reads a rig. [any]
  mutating func rig() throws(BinaryDecodingError) -> EncodedRig {
    var rig = EncodedRig()
    rig.text = try text()
    rig.file = try text()
    rig.nodes = try list { reader throws(BinaryDecodingError) in try reader.text() }
    return rig
  }
}
