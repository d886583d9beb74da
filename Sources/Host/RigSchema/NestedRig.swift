// NestedRig.swift: a rig that is a node of another one. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
package import Manifests

/// A location in another file than that of the outermost rig.
package struct SourceLocation: Sendable, Equatable {
  /// The file, as diagnostics name it.
  package var file: String
  /// The keys that lead to it in that file.
  package var keyPath: String

  /// Creates a location.
  package init(file: String, keyPath: String) { (self.file, self.keyPath) = (file, keyPath) }
}

/// The settings of a node in the file of its nested rig, without changes by the outer rig.
package struct NestedNodeDefaults: Sendable, Equatable {
  /// The manifest that the node is written in: its paths are seen from there.
  package var file: String
  /// The parameters; see `RigNode.parameters`.
  package var parameters: [RigParameter]
  /// The properties; see `RigNode.properties`.
  package var properties: [RigParameter]
  /// The preset; see `RigNode.preset`.
  package var preset: BuiltinSetting?
  /// The saved state; see `RigNode.state`.
  package var state: BuiltinSetting?
  /// The wet level; see `RigNode.wetShare`.
  package var wetLevel: Float
  /// Whether the node is bypassed; see `RigNode.isBypassed`.
  package var isBypassed: Bool
}

/// A rig that is used as a node of another rig.
///
/// Its nodes become nodes of the outer rig, with names such as `voice/compressor`. `voice/in` and
/// `voice/out` are between them and the other nodes.
package struct NestedRig: Sendable, Equatable {
  /// The name as a node; a rig inside a nested rig has both names, as in `band/voice`.
  package var name: String
  /// The position of its name.
  package var position: SourcePosition
  /// The file that it is named in; nil for the rig's own.
  package var location: SourceLocation?
  /// The file, as it is written.
  package var written: String
  /// The file, as diagnostics name it.
  package var file: String
  /// Channels that it takes.
  package var inputCount: Int
  /// The number of its output channels; nil for as many as the audio at its output has.
  package var outputCount: Int?
  /// The wet level, 0 to 1; the rest is the bypass signal.
  package var wetLevel: Float = 1
  /// Whether the nested rig is bypassed, which overrides `wetLevel`.
  package var isBypassed = false
  /// Both settings in the file that contains the node, if that is not the outermost rig.
  package var origin: (wetLevel: Float, isBypassed: Bool) = (1, false)

  /// The prefix of its nodes' names.
  package var prefix: String { name + "/" }
  /// The node that its nodes use as `in`.
  package var inputName: String { prefix + "in" }
  /// The node that its nodes use as `out`.
  package var outputName: String { prefix + "out" }
  /// Whether the outermost rig names this one, not another nested rig.
  package var isOutermost: Bool { !name.contains("/") }

  /// Compares name, file and content.
  package static func == (one: NestedRig, other: NestedRig) -> Bool {
    one.name == other.name && one.file == other.file && one.written == other.written
      && one.inputCount == other.inputCount && one.outputCount == other.outputCount
      && one.wetLevel == other.wetLevel && one.isBypassed == other.isBypassed
  }
}

extension RigDescription {
  /// Finds the node of a dotted name, such as `compressor.ratio`; returns nil if there is none.
  ///
  /// - Parameters:
  ///   - dotted: names of nested rigs and of a node, and a symbol, separated by dots.
  ///   - prefix: the prefix of the nodes to search; empty for all.
  /// - Returns: the index of the node in `nodes`, and the rest of the text.
  package func target(of dotted: String, within prefix: String = "") -> (node: Int, rest: String)? {
    var best: (node: Int, rest: String)?
    for (index, node) in nodes.enumerated() where node.name.hasPrefix(prefix) {
      let path =
        node.name.dropFirst(prefix.count).split(separator: "/").joined(separator: ".") + "."
      guard dotted.hasPrefix(path), dotted.count > path.count else { continue }
      let rest = String(dotted.dropFirst(path.count))
      if best.map({ rest.count < $0.rest.count }) ?? true { best = (index, rest) }
    }
    return best
  }

  /// Resolves a path from the directory of the file that contains it, so that both can be moved together.
  ///
  /// - Parameters:
  ///   - written: the path; `~` is the user's home.
  ///   - file: the file that contains it; nil for that of the rig.
  /// - Returns: a path from the working directory of the program.
  package func path(_ written: String, in file: String? = nil) -> String {
    let file = file ?? self.file
    if written.hasPrefix("~/") {
      let home =
        ProcessInfo.processInfo.environment["HOME"]
        ?? FileManager.default.homeDirectoryForCurrentUser.path
      return home + written.dropFirst()
    }
    guard !written.hasPrefix("/"), file.contains("/") else { return written }
    return URL(fileURLWithPath: file).deletingLastPathComponent().path + "/" + written
  }

  /// Resolves a path from the directory of a file, with a result as short as both allow.
  static func path(_ written: String, seenFrom file: String) -> String {
    guard !written.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return written }
    return file[...slash] + written
  }

  /// Every file that it was read from, its own first.
  package var files: [String] {
    var files = [file]
    for rig in nested where !files.contains(rig.file) { files.append(rig.file) }
    return files
  }
}
