// CacheTrust.swift: whether a cached file can be believed. SPDX-License-Identifier: MIT

internal import Glibc

/// Tells files that this user or root wrote from those of others.
///
/// The cache says which libraries are loaded, so a file of another user is like a program of another user.
enum CacheTrust {
  /// Whether only this user and root can have written a file or folder. [any]
  static func isSafe(_ facts: stat, user: uid_t = geteuid()) -> Bool {
    [user, 0].contains(facts.st_uid) && facts.st_mode & 0o022 == 0
  }

  /// Whether only this user and root can put files into the folder of a path. [any]
  ///
  /// The folder may be reached by a symbolic link that one of them made.
  static func isSafe(folderOf path: String, user: uid_t = geteuid()) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    var (link, facts) = (stat(), stat())
    guard lstat(folder, &link) == 0, [user, 0].contains(link.st_uid), stat(folder, &facts) == 0
    else { return false }
    return facts.st_mode & S_IFMT == S_IFDIR && isSafe(facts, user: user)
  }
}
