// EarlierRig.swift: a rig of the history. SPDX-License-Identifier: MIT

import PluginCatalogue
import PluginLoading
import RigSchema

/// A rig of the history, with the parameter values that belong to it. [main]
///
/// A rig of an earlier process image is read when it is needed, so that a restart does not take longer.
final class EarlierRig {
  private enum Form {
    case described(RigDescription)
    case encoded(EncodedRig)
  }

  private let form: Form
  /// Whether its plugins passed preflight.
  let runsPreflight: Bool
  /// The parameter values by node and symbol, for nodes that are created again.
  let snapshot: [String: [String: Float]]

  init(_ rig: PreparedRig, _ snapshot: [String: [String: Float]]) {
    form = .described(rig.rig)
    runsPreflight = rig.runsPreflight
    self.snapshot = snapshot
  }

  /// A rig of an earlier process image.
  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    form = .encoded(try reader.rig())
    runsPreflight = try reader.flag()
    let nodes = try reader.list { reader throws(BinaryDecodingError) in
      let name = try reader.text()
      let values = try reader.list { reader throws(BinaryDecodingError) in
        (try reader.text(), try reader.float())
      }
      return (name, Dictionary(values) { first, _ in first })
    }
    snapshot = Dictionary(nodes) { first, _ in first }
  }

  /// The rig in a form for `init(_:)`, which takes long only once.
  private(set) lazy var bytes: [UInt8] = {
    var writer = BinaryEncoder()
    switch form {
    case .described(let rig): writer.write(EncodedRig(rig))
    case .encoded(let rig): writer.write(rig)
    }
    writer.write(runsPreflight)
    writer.write(Array(snapshot)) { writer, node in
      writer.write(node.key)
      writer.write(Array(node.value)) { writer, value in
        writer.write(value.key)
        writer.write(value.value)
      }
    }
    return writer.bytes
  }()

  /// Returns the rig for a session whose present rig is `present`.
  ///
  /// - Throws: `ManifestError` if a nested rig of an earlier process image cannot be read any more.
  func description(for present: RigDescription) throws -> RigDescription {
    switch form {
    case .described(let rig): return rig
    case .encoded(let encoded):
      var rig = try encoded.read()
      // The restart has written the tempo into the present rig. It is not part of the history.
      rig.transport = present.transport
      RecordingTaps.restore(in: &rig, from: present)
      return rig
    }
  }

  /// Returns the rig with the current versions of its plugins, such as a recompiled source.
  func prepared(_ library: PluginLibrary, for present: RigDescription) throws -> PreparedRig {
    var rig = try PreparedRig(try description(for: present), library)
    rig.runsPreflight = runsPreflight
    return rig
  }
}
