// Packages.swift: the Debian packages of the corpus, and what is in them. SPDX-License-Identifier: MIT

import Foundation

/// A line of `Tests/Corpus/packages.tsv`.
struct Package: Equatable {
  let name: String
  /// The version with which the table was created.
  var version: String

  /// The file's lines.
  static func table(_ packages: [Package]) -> String {
    (["# package\tversion"] + packages.map { "\($0.name)\t\($0.version)" })
      .joined(separator: "\n") + "\n"
  }

  /// The packages of a file.
  static func packages(of table: String) -> [Package] {
    table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "\t").map(String.init)
      return Package(name: fields[0], version: fields.count > 1 ? fields[1] : "")
    }
  }
}

/// The data of the package manager.
struct InstalledPackages {
  /// Versions by name; those of another build of the same source are the same.
  let versions: [String: String]
  /// Packages by the bundles that they contain, without a slash at the end.
  let owners: [String: String]

  /// Queries packages by name.
  ///
  /// Without this package manager, none is found.
  init(_ names: [String]) {
    var versions: [String: String] = [:]
    var owners: [String: String] = [:]
    for name in names {
      let fields = ["--show", "--showformat", "${db:Status-Status} ${Version}", name]
      let words = Tool.output("dpkg-query", fields).split(separator: " ").map(String.init)
      guard words.count == 2, words[0] == "installed" else { continue }
      versions[name] = Self.withoutBuild(words[1])
      for path in Tool.output("dpkg-query", ["--listfiles", name]).split(separator: "\n") {
        if let end = path.range(of: "/manifest.ttl", options: [.anchored, .backwards]) {
          owners[String(path[..<end.lowerBound])] = name
        }
      }
    }
    (self.versions, self.owners) = (versions, owners)
  }

  /// `1.0-3+b1` is `1.0-3`, rebuilt.
  static func withoutBuild(_ version: String) -> String {
    version.replacing(/\+b\d+$/, with: "")
  }

  /// The directories that contain bundles.
  var directories: [String] {
    Set(owners.keys.map { ($0 as NSString).deletingLastPathComponent }).sorted()
  }
}

/// Another program.
enum Tool {
  /// Returns its output; empty if it fails, which it may.
  static func output(_ name: String, _ arguments: [String]) -> String {
    (try? run(["/usr/bin/env", name] + arguments).text) ?? ""
  }

  /// Runs a program to its end, without other output of the program and its plugins unless it is
  /// requested.
  static func run(
    _ command: [String], environment: [String: String] = [:], joinsErrors: Bool = false
  ) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    process.standardError = joinsErrors ? pipe : FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return (
      process.terminationStatus + (isSignal ? 128 : 0), String(decoding: data, as: UTF8.self)
    )
  }
}
