// SocketDirectory.swift: the directories of session sockets. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The directories of sockets of this user's sessions, and of services.
package enum SocketDirectory {
  /// The extension of a socket; its name is that of the session.
  private static let suffix = ".sock"

  /// Returns the directory for the socket of this process.
  ///
  /// A service has a separate directory, which its service manager creates and passes in the
  /// environment.
  static func createRuntimeDirectory(_ environment: [String: String]) -> String {
    if let service = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
      return String(service)
    }
    return userDirectory(environment)
  }

  /// Returns the directory for files of this process, which only this user can use.
  ///
  /// - Throws: `ControlError.unusableDirectory` if another user could use it.
  package static func preparedRuntimeDirectory(
    _ environment: [String: String]
  ) throws(ControlError) -> String {
    let directory = createRuntimeDirectory(environment)
    try prepare(directory)
    return directory
  }

  /// Returns the directories that are searched: that of this user, and that of each service.
  static func directories(_ environment: [String: String]) -> [String] {
    let services: [String] =
      (try? FileManager.default.contentsOfDirectory(atPath: serviceDirectory)) ?? []
    var directories: [String] = []
    let serviceDirectories = services.sorted().map { service in "\(serviceDirectory)/\(service)" }
    for directory in [createRuntimeDirectory(environment), userDirectory(environment)]
      + serviceDirectories
    where !directories.contains(directory) {
      directories.append(directory)
    }
    return directories
  }

  /// The directory in which the service manager creates a directory for each service.
  private static let serviceDirectory = "/run/outboard"

  private static func userDirectory(_ environment: [String: String]) -> String {
    if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
      unsafe access(runtime, W_OK | X_OK) == 0
    {
      return runtime + "/outboard"
    }
    return "/tmp/outboard-\(geteuid())"
  }

  /// Creates the directory for this user only, or checks the existing one.
  ///
  /// - Throws: `ControlError.unusableDirectory` if another user could listen in it.
  static func prepare(_ directory: String) throws(ControlError) {
    if unsafe mkdir(directory, 0o700) == 0 { return }
    guard errno == EEXIST else {
      throw unsafe .unusableDirectory(path: directory, reason: String(cString: strerror(errno)))
    }
    let trust = DirectoryTrust(of: directory)
    if let fault = trust.fault { throw .unusableDirectory(path: directory, reason: fault) }
    guard trust.owner == geteuid() else {
      throw .unusableDirectory(path: directory, reason: "it belongs to another user")
    }
  }

  static func socket(_ name: String, in directory: String) -> String {
    "\(directory)/\(name)\(suffix)"
  }

  /// A socket that a run may be listening at.
  struct Entry {
    let name: String
    let path: String
    /// The owner of the directory.
    let owner: uid_t
  }

  /// Returns the sockets in all trusted directories, sorted by name, including those of sessions
  /// that have ended.
  ///
  /// - Returns: also a message for each directory that exists but is ignored.
  static func sockets(
    _ environment: [String: String]
  ) -> (entries: [Entry], remarks: [String]) {
    var entries: [Entry] = []
    var remarks: [String] = []
    for directory in directories(environment) {
      guard unsafe access(directory, F_OK) == 0 else { continue }
      let trust = DirectoryTrust(of: directory)
      if let fault = trust.fault {
        remarks.append("\(directory) is ignored because \(fault).")
        continue
      }
      let files: [String] = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      for file in files where file.hasSuffix(suffix) {
        entries.append(
          Entry(
            name: String(file.dropLast(suffix.count)), path: "\(directory)/\(file)",
            owner: trust.owner))
      }
    }
    return (entries.sorted { one, other in one.name < other.name }, remarks)
  }

  /// A name that can be a file's and a word on the command line.
  package static func name(for text: String) -> String {
    let words = text.lowercased().map { character -> Character in
      character.isLetter || character.isNumber || "_.".contains(character) ? character : "-"
    }
    let name = String(words).split(separator: "-").joined(separator: "-").prefix(40)
    return name.isEmpty || name.hasPrefix(".") ? "run\(name)" : String(name)
  }
}
