// NearbyFilesTests.swift: headers and sources that nobody said the place of. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ModuleBuild

@Suite struct NearbyFilesTests {
  /// A folder with files, removed with its last reference.
  private final class Place {
    let path = FileManager.default.temporaryDirectory.path + "/outboard-near-\(UUID().uuidString)"

    init(_ files: [String: String]) throws {
      for (name, text) in files { try write(text, as: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, as name: String) throws {
      let file = URL(fileURLWithPath: "\(path)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func build(_ name: String) throws -> BuiltModule {
      try ModuleBuilder(cache: path + "/cache", headers: nil, kit: nil)
        .build(ModuleSource(path: "\(path)/\(name)"), manifest: "abi: 1")
    }

    /// What the compiler has against it.
    func complaint(_ name: String) -> String {
      do {
        _ = try build(name)
        return ""
      } catch {
        return "\(error)"
      }
    }
  }

  private static func module(_ line: String, calling function: String) -> String {
    """
    \(line)
    void process(void *s, const float *const *i, float *const *o, const float *p, unsigned n) { \(function)(); }
    """
  }

  @Test func `sources of headers are compiled, and headers found where they lie`() throws {
    let place = try Place([
      "port.c": Self.module("#include \"theirs/a/effect.h\"", calling: "effect"),
      "theirs/a/effect.h": "#include \"Filter.h\"\nvoid effect(void);",
      "theirs/a/effect.c": "#include \"effect.h\"\nvoid effect(void) { filter(); }",
      // Spelt otherwise, as where letters of both sizes are one.
      "theirs/b/include/filter.h": "void filter(void);",
      "theirs/b/src/filter.c": "#include \"filter.h\"\nvoid filter(void) {}",
    ])
    let built = try place.build("port.c")
    let names = Set(built.dependencies.map { URL(fileURLWithPath: $0).lastPathComponent })
    #expect(names.isSuperset(of: ["effect.c", "filter.c", "filter.h"]))
    // A source that was found counts like one that was named.
    try place.write(
      "#include \"filter.h\"\nint x;\nvoid filter(void) {}", as: "theirs/b/src/filter.c")
    #expect(try place.build("port.c").library != built.library)
  }

  @Test func `sources in folders of a folder are compiled where they are needed`() throws {
    let place = try Place([
      "effect/port.c": Self.module("void deep(void);", calling: "deep"),
      "effect/lib/deep.c": "void deep(void) {}",
      "effect/lib/main.c": "#error \"nobody needs this\"",
      "effect/tests/deep.c": "void deep(void) {}",
    ])
    _ = try place.build("effect")
    let inSource = try Place([
      "effect/src/all.c": Self.module("static void f(void) {}", calling: "f")
    ])
    _ = try inSource.build("effect")
  }

  @Test func `what was found and has moved is found again`() throws {
    let place = try Place([
      "port.c": Self.module("#include <one.h>", calling: "one"),
      "x/one.h": "static void one(void) {}",
    ])
    _ = try place.build("port.c")
    try FileManager.default.moveItem(atPath: place.path + "/x", toPath: place.path + "/y")
    _ = try place.build("port.c")
  }

  @Test func `what cannot be found is said with what would help`() throws {
    let place = try Place([
      "a.c": Self.module("#include \"nowhere.h\"", calling: "f"),
      "b.c": Self.module("#include \"made.h\"", calling: "f"), "lib/made.h.in": "",
      "c.c": Self.module("#include \"twice.h\"", calling: "f"), "p/twice.h": "int a;",
      "q/twice.h": "int b;",
      "d.c": Self.module("#include \"broken.h\"", calling: "broken"),
      "broken.h": "void broken(void);", "broken.c": "void broken(void) { wrong }",
    ])
    #expect(place.complaint("a.c").contains("nowhere.h is not found near it either"))
    #expect(place.complaint("b.c").contains("made.h.in by the code's own configure"))
    #expect(place.complaint("c.c").contains("found more than once near it"))
    // The source at fault, instead of the linker's words on what is missing.
    #expect(place.complaint("d.c").contains("broken.c:1"))
  }
}
