// TokenFile.swift: a token that survives the session. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import HostModel

/// A file with a token, which only its owner can read.
enum TokenFile {
  /// Returns the token of a file, or creates the file with a new token. [any]
  ///
  /// - Throws: `TokenFileError`.
  static func token(at path: String) throws(TokenFileError) -> AccessToken {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw unsafe failure(path, String(cString: strerror(errno))) }
      return try create(path)
    }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw failure(path, "it is not a file")
    }
    guard facts.st_mode & 0o077 == 0 else {
      throw failure(path, "other users can read it; run `chmod 600 \(path)`")
    }
    var buffer = [UInt8](repeating: 0, count: AccessToken.longestCount + 2)
    let count = unsafe max(0, read(descriptor, &buffer, buffer.count))
    let lines = String(decoding: buffer[..<count], as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard let line = lines.first, lines.dropFirst().allSatisfy(\.isEmpty),
      let token = AccessToken(String(line))
    else {
      throw failure(
        path,
        "it does not have one line of \(AccessToken.shortestCount) to \(AccessToken.longestCount) letters and digits"
      )
    }
    return token
  }

  private static func create(_ path: String) throws(TokenFileError) -> AccessToken {
    let token = AccessToken.random()
    guard PrivateFile.write(Array((token.text + "\n").utf8), to: path) else {
      throw unsafe failure(path, String(cString: strerror(errno)))
    }
    return token
  }

  private static func failure(_ path: String, _ reason: String) -> TokenFileError {
    TokenFileError(path: path, reason: reason)
  }
}
