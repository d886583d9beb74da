// LV2Directories.swift: finds bundles in the LV2 path. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginCatalogue

/// A directory or bundle that could not be read.
package struct LV2DirectoryError: Sendable, Equatable {
  /// The path.
  package var path: String
  /// The message, which contains the path.
  package var message: String

  /// Creates an error from a path and a message.
  package init(path: String, message: String) {
    self.path = path
    self.message = message
  }
}

/// Finds directories and bundles without reading them.
package enum LV2Directories {
  /// The directories to search if `LV2_PATH` is not set, in order.
  ///
  /// The order of Debian's lilv, with the directory of this architecture.
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

  /// Returns the directories of a search path without duplicates.
  ///
  /// Replaces a leading `~` by the home directory,
  /// resolves relative paths and skips empty parts. [any]
  package static func directories(
    ofPath path: String?, home: String, workingDirectory: String = workingDirectory
  ) -> [String] {
    var seen: Set<String> = []
    return (path ?? defaultPath).split(separator: ":").map { part in
      let directory = part == "~" || part.hasPrefix("~/") ? home + part.dropFirst() : String(part)
      let absolute = directory.hasPrefix("/") ? directory : "\(workingDirectory)/\(directory)"
      // By components, so that `/a//b/` equals `/a/b`.
      return "/" + absolute.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }.filter { seen.insert($0).inserted }
  }

  /// The base directory of relative paths; `/` if it no longer exists. [any]
  package static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// The contents of a directory.
  package struct Content: Sendable, Equatable {
    /// Bundles with a manifest, sorted.
    package var bundles: [String] = []
    /// Bundles and directories that could not be read.
    package var faults: [LV2DirectoryError] = []
    /// The device and inode of the directory; nil if it does not exist.
    package var identity: [UInt64]?

    /// Creates empty contents.
    package init() {}
  }

  /// Reads a directory; may block if a network is down. [any]
  ///
  /// - Parameters:
  ///   - directory: The path.
  ///   - isNamed: Whether the user named the directory, so that a missing one is an error.
  /// - Returns: Bundles and errors.
  package static func content(of directory: String, isNamed: Bool) -> Content {
    var content = Content()
    guard let opened = OpenDirectory(directory) else {
      if isNamed || errno != ENOENT {
        content.faults.append(fault(directory, "cannot be opened (\(reason))"))
      }
      return content
    }
    var facts = stat()
    if fstat(opened.descriptor, &facts) == 0 {
      content.identity = [UInt64(facts.st_dev), UInt64(facts.st_ino)]
    }
    for name in opened.names() where !name.hasPrefix(".") {
      add("\(directory)/\(name)", &content)
    }
    return content
  }

  private static func add(_ bundle: String, _ content: inout Content) {
    var facts = stat()
    guard stat(bundle + "/manifest.ttl", &facts) == 0 else {
      // Other directories may be there, too; only one with the extension of a bundle must have a manifest.
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
    } else if facts.st_mode & S_IROTH == 0, access(bundle + "/manifest.ttl", R_OK) != 0 {
      content.faults.append(fault(bundle, "has a manifest.ttl that cannot be read (\(reason))"))
    } else {
      content.bundles.append(bundle)
    }
  }

  private static func fault(_ path: String, _ what: String) -> LV2DirectoryError {
    LV2DirectoryError(path: path, message: "Skipped \(path): it \(what).")
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
