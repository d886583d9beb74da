// ControlFolder.swift: where the sockets of runs lie. SPDX-License-Identifier: MIT

import Foundation

/// The folders in which runs of this user, and of services, can be found.
package enum ControlFolder {
  /// A run's socket is called as the run, with this behind it.
  private static let suffix = ".sock"

  /// Where a run of this process makes its socket, the best place first.
  ///
  /// A service has a folder of its own, which its manager makes and names in the environment.
  static func ownFolder(_ environment: [String: String]) -> String {
    if let service = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
      return String(service)
    }
    return userFolder(environment)
  }

  /// Where runs are looked for: in this user's folder, and in that of each service.
  static func folders(_ environment: [String: String]) -> [String] {
    let services: [String] =
      (try? FileManager.default.contentsOfDirectory(atPath: serviceFolder)) ?? []
    var folders: [String] = []
    let places = services.sorted().map { service in "\(serviceFolder)/\(service)" }
    for folder in [ownFolder(environment), userFolder(environment)] + places
    where !folders.contains(folder) {
      folders.append(folder)
    }
    return folders
  }

  /// Where the service manager makes a folder for each service.
  private static let serviceFolder = "/run/outboard"

  private static func userFolder(_ environment: [String: String]) -> String {
    if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
      access(runtime, W_OK | X_OK) == 0
    {
      return runtime + "/outboard"
    }
    return "/tmp/outboard-\(geteuid())"
  }

  /// Makes the folder, for this user alone.
  ///
  /// - Throws: `ControlError.unusableFolder` where it belongs to someone else, who could listen in.
  static func prepare(_ folder: String) throws(ControlError) {
    if mkdir(folder, 0o700) == 0 { return }
    guard errno == EEXIST else {
      throw .unusableFolder(path: folder, reason: String(cString: strerror(errno)))
    }
    var facts = stat()
    // A link that someone put there is not followed.
    guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
      throw .unusableFolder(path: folder, reason: "it is no folder")
    }
    guard facts.st_uid == geteuid() else {
      throw .unusableFolder(path: folder, reason: "it belongs to another user")
    }
  }

  static func socket(_ name: String, in folder: String) -> String { "\(folder)/\(name)\(suffix)" }

  /// Names of the runs that have a socket, with its path, sorted; some of them may have died.
  static func sockets(_ environment: [String: String]) -> [(name: String, path: String)] {
    var sockets: [(name: String, path: String)] = []
    for folder in folders(environment) {
      let files: [String] = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for file in files where file.hasSuffix(suffix) {
        sockets.append((String(file.dropLast(suffix.count)), "\(folder)/\(file)"))
      }
    }
    return sockets.sorted { one, other in one.name < other.name }
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
