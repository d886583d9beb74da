// NestedRig.swift: a rig that is a node of another one. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// Where something is written that stands in another file than the rig that it is part of.
package struct SourceLocation: Sendable, Equatable {
  /// The file, as findings name it.
  package var file: String
  /// The keys that lead to it there.
  package var keyPath: String
}

/// What the file of a rig within a rig says of one of its nodes, before the rig around it adds anything.
package struct NestedNodeDefaults: Sendable, Equatable {
  /// The manifest that the node is written in: its paths are seen from there.
  package var file: String
  /// As `RigNode.parameters`.
  package var parameters: [RigParameter]
  /// As `RigNode.properties`.
  package var properties: [RigParameter]
  /// As `RigNode.preset`.
  package var preset: BuiltinSetting?
  /// As `RigNode.state`.
  package var state: BuiltinSetting?
  /// As `RigNode.wetShare`.
  package var wetShare: Float
  /// As `RigNode.isBypassed`.
  package var isBypassed: Bool
}

/// A rig that stands in another one as a node: its nodes are the other's, with names such as
/// `voice/compressor`, and between them and what is around them stand `voice/in` and `voice/out`.
package struct NestedRig: Sendable, Equatable {
  /// Its name as a node; of one in a rig within the rig with that one's in front, as in `band/voice`.
  package var name: String
  /// Where it is named.
  package var position: SourcePosition
  /// The file that it is named in; nil for the rig's own.
  package var place: SourceLocation?
  /// Its file, as it is written.
  package var written: String
  /// Its file, as findings name it.
  package var file: String
  /// Channels that it takes.
  package var inputCount: Int
  /// Channels that it gives; nil for as many as the sound has that arrives there.
  package var outputCount: Int?
  /// How much of what goes on is its own sound, 0 to 1; the rest goes past it.
  package var wetShare: Float = 1
  /// Whether all goes past it, whatever `wetShare` says.
  package var isBypassed = false
  /// What the file that it is named in says of both, where that is not the rig's own.
  package var origin: (wetShare: Float, isBypassed: Bool) = (1, false)

  /// What its nodes' names begin with.
  package var prefix: String { name + "/" }
  /// What its nodes hear as `in`.
  package var inputName: String { prefix + "in" }
  /// What its nodes feed as `out`.
  package var outputName: String { prefix + "out" }
  /// Whether it is named in the rig's own file.
  package var isOutermost: Bool { !name.contains("/") }

  package static func == (one: NestedRig, other: NestedRig) -> Bool {
    one.name == other.name && one.file == other.file && one.written == other.written
      && one.inputCount == other.inputCount && one.outputCount == other.outputCount
      && one.wetShare == other.wetShare && one.isBypassed == other.isBypassed
  }
}

extension RigDescription {
  /// The node that a dotted name begins with, such as `compressor.ratio`, and what follows; nil for none.
  ///
  /// - Parameters:
  ///   - dotted: names of rigs within and of a node, and what follows, with dots between.
  ///   - prefix: what the nodes' names begin with that are meant; empty for all.
  /// - Returns: the node's place in `nodes`, and what follows.
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

  /// A path that is written in the rig or for one of its nodes: it is seen from the folder of the file
  /// that it is written in, so that both can be moved together.
  ///
  /// - Parameters:
  ///   - written: the path; `~` is the user's home.
  ///   - file: that file; nil for the rig's own.
  /// - Returns: a path that is right where the program is.
  func path(_ written: String, in file: String? = nil) -> String {
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

  /// A path as it is seen from the folder of a file, as short as both are.
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
