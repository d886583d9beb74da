// LV2Directories.swift: where bundles are, and what stands in the way of finding them. SPDX-License-Identifier: MIT

internal import Glibc

/// A folder or bundle that could not be looked into.
package struct LV2DirectoryError: Sendable, Equatable {
  /// Which.
  package var path: String
  /// Why not, as one sentence that names it.
  package var sentence: String

  /// A place, and what is wrong with it.
  package init(path: String, sentence: String) {
    self.path = path
    self.sentence = sentence
  }
}

/// Finds folders and the bundles in them, and reads none.
package enum LV2Directories {
  /// Where bundles are looked for when `LV2_PATH` is not set, first to last.
  ///
  /// The order of Debian's lilv, with the folder for this architecture.
  package static var defaultPath: String {
    "~/.lv2:/usr/lib/\(architecture)-linux-gnu/lv2:/usr/lib/lv2:/usr/local/lib/lv2"
  }

  private static var architecture: String {
    #if arch(arm64)
    "aarch64"
    #elseif arch(x86_64)
    "x86_64"
    #elseif arch(riscv64)
    "riscv64"
    #else
    "unknown"
    #endif
  }

  /// The folders of a search path, each once: a leading `~` is replaced by the home folder, a relative
  /// one is seen from the working folder, empty parts are left out. [any]
  package static func folders(
    ofPath path: String?, home: String, workingFolder: String = workingFolder
  ) -> [String] {
    var seen: Set<String> = []
    return (path ?? defaultPath).split(separator: ":").map { part in
      let folder = part == "~" || part.hasPrefix("~/") ? home + part.dropFirst() : String(part)
      let absolute = folder.hasPrefix("/") ? folder : "\(workingFolder)/\(folder)"
      // Through its parts, so that `/a//b/` is `/a/b`.
      return "/" + absolute.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }.filter { seen.insert($0).inserted }
  }

  /// The folder that relative paths are seen from; `/` where it is gone. [any]
  package static var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// What there is in one folder.
  package struct Content: Sendable, Equatable {
    /// Bundle folders with a manifest, sorted.
    package var bundles: [String] = []
    /// What could not be looked into.
    package var faults: [LV2DirectoryError] = []
    /// What tells it from other folders, whatever their names; nil where it is not there.
    package var identity: [UInt64]?

    /// Nothing.
    package init() {}
  }

  /// Looks into a folder, which may take for ever where a network is dead. [any]
  ///
  /// - Parameters:
  ///   - folder: Which.
  ///   - isNamed: Whether somebody asked for this folder, and wants to know if it is not there.
  /// - Returns: Bundles, and what could not be looked into.
  package static func content(of folder: String, isNamed: Bool) -> Content {
    var content = Content()
    guard let stream = opendir(folder) else {
      if isNamed || errno != ENOENT {
        content.faults.append(fault(folder, "cannot be opened (\(reason))"))
      }
      return content
    }
    defer { closedir(stream) }
    var facts = stat()
    if fstat(dirfd(stream), &facts) == 0 {
      content.identity = [UInt64(facts.st_dev), UInt64(facts.st_ino)]
    }
    for name in FileSystem.names(stream) where !name.hasPrefix(".") {
      add("\(folder)/\(name)", &content)
    }
    return content
  }

  private static func add(_ bundle: String, _ content: inout Content) {
    var facts = stat()
    guard stat(bundle + "/manifest.ttl", &facts) == 0 else {
      // Other things may lie there too; a name that ends like a bundle's promises one.
      let isMissing = errno == ENOENT || errno == ENOTDIR
      if bundle.hasSuffix(".lv2") {
        content.faults.append(
          fault(
            bundle,
            isMissing ? "has no manifest.ttl" : "cannot be opened (\(reason))"))
      }
      return
    }
    if facts.st_mode & S_IFMT != S_IFREG {
      content.faults.append(fault(bundle, "has a manifest.ttl that is not a file"))
    } else if access(bundle + "/manifest.ttl", R_OK) != 0 {
      content.faults.append(fault(bundle, "has a manifest.ttl that cannot be read (\(reason))"))
    } else {
      content.bundles.append(bundle)
    }
  }

  private static func fault(_ path: String, _ what: String) -> LV2DirectoryError {
    LV2DirectoryError(path: path, sentence: "Skipped \(path): it \(what).")
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
