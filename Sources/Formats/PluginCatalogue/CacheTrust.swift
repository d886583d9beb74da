// CacheTrust.swift: whether a cache file can be trusted. SPDX-License-Identifier: MIT

internal import Glibc

/// Checks that only this user or root can write a file.
///
/// The cache names libraries to load. A file that another user can write could run that user's code.
enum CacheTrust {
  /// Whether only this user and root can write a file or directory. [any]
  static func isSafe(_ facts: stat, user: uid_t = geteuid()) -> Bool {
    [user, 0].contains(facts.st_uid) && facts.st_mode & 0o022 == 0
  }

  /// Whether only this user and root can create files in the directory of a path. [any]
  ///
  /// The path may contain a symbolic link that this user or root created.
  static func isSafe(directoryOf path: String, user: uid_t = geteuid()) -> Bool {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    var (link, facts) = (stat(), stat())
    guard unsafe lstat(directory, &link) == 0, [user, 0].contains(link.st_uid),
      unsafe stat(directory, &facts) == 0
    else { return false }
    return facts.st_mode & S_IFMT == S_IFDIR && isSafe(facts, user: user)
  }
}
