// ManifestFileTests.swift: files that are not manifests. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@testable import Manifests
@testable import RigSchema

@Suite struct ManifestFileTests {
  /// Returns the message about a file, without the directory's path.
  private func message(
    _ name: String, read: (String) throws -> Void = { _ = try RigReader.read(path: $0) },
    _ prepare: (String) throws -> Void
  ) throws -> String {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try prepare("\(directory)/\(name)")
    let error = #expect(throws: ManifestError.self) {
      try read("\(directory)/\(name)")
    }
    return (error?.description ?? "").replacingOccurrences(of: directory + "/", with: "")
  }

  @Test func `a missing file is named`() throws {
    #expect(try message("rig.yaml") { _ in } == "rig.yaml: no such file.")
  }

  @Test func `a directory is refused as a manifest`() throws {
    let statement = try message("rig") {
      try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: true)
    }
    #expect(statement == "rig: this is a directory. Name the YAML file in it.")
  }

  @Test func `an unreadable file is reported with the reason`() throws {
    let statement = try message("rig.yaml") {
      try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $0)
    }
    #expect(statement == "rig.yaml: it cannot be read: Too many levels of symbolic links.")
  }

  @Test func `reading a pipe without a writer ends after a time limit`() throws {
    let statement = try message(
      "rig.yaml",
      read: {
        _ = try ManifestFile.text(atPath: $0, pipeTimeoutSeconds: 0)
      }
    ) {
      #expect(mkfifo($0, 0o600) == 0)
    }
    #expect(
      statement
        == "rig.yaml: it cannot be read: it is a pipe, and no program has written to it for 0 s."
    )
  }

  @Test func `a pipe is read to its end`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let isOpen = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let pipe = open(path, O_WRONLY)
      isOpen.signal()
      // More than the pipe can store, so that it is written in several parts.
      let text = "# " + String(repeating: "x", count: 200_000) + "\nend: 1\n"
      _ = text.withCString { write(pipe, $0, strlen($0)) }
      close(pipe)
    }
    let text = try ManifestFile.text(atPath: path)
    isOpen.waitOrTrap()
    #expect(text.hasSuffix("\nend: 1\n"))
    #expect(text.utf8.count == 200_010)
  }

  @Test func `a device or a socket is refused, and not opened`() throws {
    let device = try message("rig.yaml") {
      try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/dev/zero")
    }
    #expect(device == "rig.yaml: it cannot be read: it is a device, not a file.")
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    let other = try message("s") { path in
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let bound = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(bound == 0)
    }
    #expect(other == "s: it cannot be read: it is a socket, not a file.")
  }

  @Test func `a value with a NUL character is refused`() throws {
    let statement = try message("rig.yaml") {
      try "outboard: 1\nname: \"a\\0b\"\n".write(toFile: $0, atomically: true, encoding: .utf8)
    }
    #expect(statement == "rig.yaml:2: a text contains a NUL character (\\0). Remove it.")
  }

  @Test func `a file of more than a megabyte is refused early`() throws {
    let statement = try message("rig.yaml") {
      try String(repeating: "# padding\n", count: 100_001)
        .write(toFile: $0, atomically: false, encoding: .utf8)
    }
    #expect(
      statement
        == "rig.yaml: it is larger than 1000 kB, the limit for a YAML file of this kind. Check the file name."
    )
  }

  @Test func `a file in a binary or unknown encoding is reported as such`() throws {
    let sound = try message("rig.yaml") {
      try Data("RIFF\u{24}\0\0\0WAVEfmt".utf8).write(to: URL(fileURLWithPath: $0))
    }
    #expect(sound == "rig.yaml: this is binary data, not a YAML text file. Check the file name.")
    let wide = try message("rig.yaml") {
      try "outboard: 1\n".write(toFile: $0, atomically: false, encoding: .utf16)
    }
    #expect(wide == "rig.yaml: the file is UTF-16. Save it as UTF-8.")
  }

  @Test func `a byte order mark and Windows line ends are accepted`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "\u{FEFF}outboard: 1\r\nname: Café\r\nconnections: [in -> out]\r\n"
      .write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try RigReader.read(path: path).name == "Café")
  }

  @Test func `a control character is found after letters of several bytes`() throws {
    let statement = try message("rig.yaml") {
      try "outboard: 1\nname: \"Kückenübung \u{1}\"\n".write(
        toFile: $0, atomically: true, encoding: .utf8)
    }
    #expect(statement == "rig.yaml:2: control character U+0001 is not allowed in YAML. Remove it.")
  }

  @Test func `an alias is accepted as a key and as a value`() throws {
    let statement = try message("rig.yaml") {
      try "outboard: 1\nname: &a loft\n*a : x\nconnections: [in -> out]\n".write(
        toFile: $0, atomically: true, encoding: .utf8)
    }
    #expect(statement.hasPrefix("rig.yaml:2: loft: "))
  }
}
