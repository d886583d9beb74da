// DirectoryWalk.swift: the files of a directory tree, level by level. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A walk through a directory and the directories in it.
enum DirectoryWalk {
  /// A file or a directory that the walk has reached.
  struct Entry {
    let name: String
    /// The path of the root, a slash, and the path from there.
    let path: String
    /// The number of directories between the root and the entry, and one more.
    let depth: Int
  }

  /// The next step of the walk after an entry.
  enum Step {
    /// Visits what is in the entry if it is a directory. Symbolic links are not followed.
    case descend
    /// Leaves out what is in the entry.
    case skip
    /// Ends the walk.
    case stop
  }

  /// Calls `visitor` for each entry below `root`, nearest levels first, each level in the order of names.
  ///
  /// A directory that cannot be read counts as empty.
  static func visit(_ root: String, _ visitor: (Entry) -> Step) {
    let manager = FileManager.default
    var level = [root.hasSuffix("/") ? String(root.dropLast()) : root]
    var depth = 0
    while !level.isEmpty {
      depth += 1
      var next: [String] = []
      for directory in level {
        for name in ((try? manager.contentsOfDirectory(atPath: directory)) ?? []).sorted() {
          let path = "\(directory)/\(name)"
          switch visitor(Entry(name: name, path: path, depth: depth)) {
          case .descend:
            var facts = stat()
            if unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR {
              next.append(path)
            }
          case .skip: continue
          case .stop: return
          }
        }
      }
      level = next
    }
  }
}
