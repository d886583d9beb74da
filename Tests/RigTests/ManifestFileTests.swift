// ManifestFileTests.swift: files that are no manifests. SPDX-License-Identifier: MIT

import Foundation
import Rig
import Testing

@Suite struct ManifestFileTests {
  /// What is said of a file, with the folder's path taken off.
  private func sentence(_ name: String, _ prepare: (String) throws -> Void) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try prepare("\(folder)/\(name)")
    let error = #expect(throws: ManifestError.self) {
      try RigReader.read(path: "\(folder)/\(name)")
    }
    return (error?.description ?? "").replacingOccurrences(of: folder + "/", with: "")
  }

  @Test func `a missing file is named`() throws {
    #expect(try sentence("rig.yaml") { _ in } == "rig.yaml: there is no such file.")
  }

  @Test func `a folder is no manifest`() throws {
    let said = try sentence("rig") {
      try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: true)
    }
    #expect(said == "rig: this is a folder; the manifest is a file in it.")
  }

  @Test func `a file that cannot be read says why`() throws {
    let said = try sentence("rig.yaml") {
      try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $0)
    }
    #expect(said == "rig.yaml: it cannot be read: Too many levels of symbolic links.")
  }

  @Test func `a file of more than a megabyte is not read to its end`() throws {
    let said = try sentence("rig.yaml") {
      try String(repeating: "# padding\n", count: 100_001)
        .write(toFile: $0, atomically: false, encoding: .utf8)
    }
    #expect(
      said == "rig.yaml: it is larger than 1000 kB, which no manifest is; is it another file?")
  }

  @Test func `a file that is no text, or text of another kind, is told as what it is`() throws {
    let sound = try sentence("rig.yaml") {
      try Data("RIFF\u{24}\0\0\0WAVEfmt".utf8).write(to: URL(fileURLWithPath: $0))
    }
    #expect(sound == "rig.yaml: this is no text, which a manifest is; is it another file?")
    let wide = try sentence("rig.yaml") {
      try "outboard: 1\n".write(toFile: $0, atomically: false, encoding: .utf16)
    }
    #expect(wide == "rig.yaml: this is UTF-16 text; save the file as UTF-8.")
  }

  @Test func `a byte order mark and Windows line ends do no harm`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "\u{FEFF}outboard: 1\r\nname: Café\r\nconnections: [in -> out]\r\n"
      .write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try RigReader.read(path: path).name == "Café")
  }

  @Test func `a control character is found behind letters of several bytes`() throws {
    let said = try sentence("rig.yaml") {
      try "outboard: 1\nname: \"Kückenübung \u{1}\"\n".write(
        toFile: $0, atomically: true, encoding: .utf8)
    }
    #expect(said == "rig.yaml:2: the control character U+0001 cannot stand in YAML; take it out.")
  }

  @Test func `an alias serves as a key and as a value`() throws {
    let said = try sentence("rig.yaml") {
      try "outboard: 1\nname: &a loft\n*a : x\nconnections: [in -> out]\n".write(
        toFile: $0, atomically: true, encoding: .utf8)
    }
    #expect(said.hasPrefix("rig.yaml:2: loft: "))
  }
}
