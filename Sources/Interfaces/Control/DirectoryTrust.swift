// DirectoryTrust.swift: checks whether a socket directory is safe from other users.
// SPDX-License-Identifier: MIT

import Glibc

/// The owner of a directory, and why its sockets must not be trusted.
///
/// The directory in `/tmp` has a predictable name, so another user may have created it first.
struct DirectoryTrust {
  /// The owner of the directory.
  let owner: uid_t
  /// Why the directory must not be used, as a clause; nil if only its owner and root can create
  /// sockets in it.
  let fault: String?

  /// Examines a directory for a user. [any]
  ///
  /// The directory must belong to `user` or root. Root also uses the directory of a service or of
  /// another user, if only root and that user could have created it.
  init(of directory: String, for user: uid_t = geteuid()) {
    var facts = stat()
    // A symbolic link is not followed.
    guard unsafe lstat(directory, &facts) == 0 else {
      (owner, fault) = unsafe (user, String(cString: strerror(errno)))
      return
    }
    owner = facts.st_uid
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      fault = "it is not a directory"
      return
    }
    let isTrusted =
      owner == user || owner == 0 || (user == 0 && Self.isOnly(owner, above: directory))
    if !isTrusted {
      fault = "it belongs to another user"
    } else if facts.st_mode & 0o022 != 0 {
      fault = "other users can write to it (`chmod go-w \(directory)` forbids it)"
    } else {
      fault = nil
    }
  }

  /// Returns whether only root and one user can create files in the parent directory.
  private static func isOnly(_ owner: uid_t, above directory: String) -> Bool {
    var facts = stat()
    guard let slash = directory.lastIndex(of: "/"),
      unsafe stat(String(directory[..<slash]) + "/", &facts) == 0
    else { return false }
    return [owner, 0].contains(facts.st_uid) && facts.st_mode & 0o022 == 0
  }
}
