// Fixture.swift: test modules, compiled on demand. SPDX-License-Identifier: MIT

package import Foundation
import Synchronization

/// The modules in `Tests/Fixtures/modules`, compiled once in a run.
package enum Fixture {
  /// The compiler is missing or reports an error.
  package struct Failure: Error, CustomStringConvertible {
    /// The compiler's output, or the reason why there is none.
    package let description: String

    /// A failure with this text.
    package init(_ description: String) { self.description = description }
  }

  /// The directory of the sources.
  package static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/modules")

  /// A directory for this process, which is removed at its end.
  package static let directory: URL = {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "outboard-fixtures-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: Fixture.directory) }
    return directory
  }()

  /// Guarded by `lock`, a lock of Foundation, because the thread sanitizer does not support `Mutex`.
  private nonisolated(unsafe) static var compiled: [String: String] = [:]
  private static let lock = NSLock()
  private static let copies = Atomic<Int>(0)

  /// The shared library of a fixture, by the name of its directory. [any]
  package static func compile(_ name: String) throws -> String {
    try lock.withLock {
      if let path = compiled[name] { return path }
      let path = directory.appending(path: "\(name).so").path
      try build(name, into: path)
      compiled[name] = path
      return path
    }
  }

  /// Copies a fixture's library.
  ///
  /// The loader treats the copy as another library with its own variables, so that tests which
  /// count do not disturb each other. [any]
  package static func copy(_ name: String) throws -> String {
    let data = try Data(contentsOf: URL(filePath: compile(name)))
    return try write(data, as: "\(name).so")
  }

  /// Writes a file in the run's directory, under a unique path. [any]
  package static func write(_ data: Data, as name: String) throws -> String {
    let number = copies.add(1, ordering: .relaxed).newValue
    let url = directory.appending(path: "\(number)-\(name)")
    try data.write(to: url)
    return url.path
  }

  /// Whether there is a C++ compiler.
  package static let hasCPlusPlus = (try? run(["c++", "--version"])) != nil

  private static func build(_ name: String, into path: String) throws {
    let source = sources.appending(path: name)
    let plusPlus = source.appending(path: "module.cpp").path
    let helper = source.appending(path: "helper.c").path
    var command = ["-shared", "-fPIC", "-O1", "-o", path]
    if FileManager.default.fileExists(atPath: plusPlus) {
      command = ["c++", plusPlus] + command
    } else {
      command = ["cc", source.appending(path: "module.c").path] + command
    }
    if FileManager.default.fileExists(atPath: helper) {
      let library = directory.appending(path: "\(name)-helper.so").path
      try run(["cc", helper, "-shared", "-fPIC", "-O1", "-o", library])
      command.append(library)
    }
    try run(command)
  }

  @discardableResult
  private static func run(_ command: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("\(command.joined(separator: " ")): \(text)")
    }
    return text
  }
}
