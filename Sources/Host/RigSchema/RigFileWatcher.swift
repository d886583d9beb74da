// RigFileWatcher.swift: watches a rig file and its nested rigs. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import ModuleBuild
import RealtimeKit
import Synchronization

/// Watches a rig's files on a separate thread.
package final class RigFileWatcher: Sendable {
  private let file: String
  private let watch: FileWatcher
  private let hasChanged = Atomic<Bool>(false)
  private let onChange: @Sendable () -> Void

  /// Starts to watch; returns nil if the system allows no more watches. [main]
  ///
  /// - Parameters:
  ///   - file: the path of the rig.
  ///   - onChange: called on another thread when a file was saved.
  package init?(_ file: String, onChange: @escaping @Sendable () -> Void) {
    guard let watch = FileWatcher() else { return nil }
    self.file = file
    self.watch = watch
    self.onChange = onChange
    // Nested rigs are parts of it.
    let files = RigReader.files(of: file)
    let facts = FileStamps(files)
    _ = DetachedThread.start { [self] in follow(files, from: facts) }
  }

  /// Whether the file has been saved since the last call. [any]
  package func takeChange() -> Bool { hasChanged.exchange(false, ordering: .acquiring) }

  /// Watches no longer. [any]
  package func stop() { watch.stop() }

  private func follow(_ first: [String], from facts: FileStamps) {
    var (files, known) = (first, facts)
    while watch.waitForChange(of: files, since: known) != nil {
      // Updated before the rig is read, so that a file that is saved meanwhile is read again.
      files = RigReader.files(of: file)
      known = FileStamps(files)
      hasChanged.store(true, ordering: .releasing)
      onChange()
    }
  }
}

extension RigReader {
  /// Returns the files of a rig and of its nested rigs, if they can be determined; its own first. [any]
  static func files(of path: String) -> [String] {
    var files = [path]
    var place = 0
    while place < files.count, files.count <= RigNodeReader.nodeLimit {
      let file = files[place]
      place += 1
      guard let text = try? ManifestFile.text(atPath: file),
        let root = try? YAMLParser.parse(text, file: file), let nodes = root["nodes"]
      else { continue }
      for written in nodes.values.compactMap({ $0["rig"]?.text }) {
        let inner =
          NestedRigLoader.locate(written, from: file)
          ?? RigDescription.path(written, seenFrom: file)
        if !files.contains(inner) { files.append(inner) }
      }
    }
    return files
  }
}

extension YAMLNode {
  /// The value of a key of a mapping.
  fileprivate subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// The values of a mapping.
  fileprivate var values: [YAMLNode] {
    if case .mapping(let entries) = content { entries.map(\.value) } else { [] }
  }

  fileprivate var text: String? {
    if case .text(let text, _) = content { text.trimmed } else { nil }
  }
}
