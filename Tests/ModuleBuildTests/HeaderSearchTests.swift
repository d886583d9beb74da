// HeaderSearchTests.swift: headers and sources that nobody said the place of. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ModuleBuild

@Suite struct HeaderSearchTests {
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

  @Test func `a header that a rule makes is met with the rule`() throws {
    let include = "#include \"gensin.h\""
    for (files, advice) in [
      (
        ["Makefile": "all: a\n\ngensin.h: gensin.py\n\tpython3 gensin.py > $@\n"], "`make gensin.h`"
      ),
      (["src/makefile": "tables:\n\t./table > gensin.h\n"], "`make tables`"),
      (["rules.mk": "out/gensin.h other.h: gensin.c\n\tcc $<\n"], "`make out/gensin.h`"),
      (["Makefile": "%.h: %.txt\n\tsed $< > $@\n", "gensin.txt": ""], "`make gensin.h`"),
      (["Makefile": "$(OUT)/gensin.h: x\n\ttouch $@\n"], "`make all`"),
      (["CMakeLists.txt": "add_custom_command(OUTPUT gensin.h COMMAND gen)\n"], "`cmake -B build"),
      (["meson.build": "custom_target('t', output: 'gensin.h')\n"], "`meson setup build"),
    ] {
      let place = try Place(
        files.merging(["a.c": Self.module(include, calling: "abort")]) { a, _ in a })
      let complaint = place.complaint("a.c")
      #expect(
        complaint.contains("gensin.h is made by the code's own build: run \(advice)"),
        "\(complaint)")
    }
    let other = try Place([
      "Makefile": "gensine.h: x\n\ttouch $@\n", "a.c": Self.module(include, calling: "abort"),
    ])
    #expect(other.complaint("a.c").contains("gensin.h is not found near it either"))
  }

  @Test func `what is missing is found by what defines it, whatever the file is called`() throws {
    let place = try Place([
      "a.c": Self.module("void effect(void); extern const float table[4];", calling: "effect")
        + "\nfloat first(void) { return table[0]; }\n",
      "lib/dsp_core.c": "#include <math.h>\nvoid effect(void)\n{\n  double x = helper(1);\n}\n"
        .replacing("#include", with: "double helper(double);\n#include"),
      "lib/deep/misc.c": "double helper(x) double x; { return x; }\n",
      "data/tables.c": "const float table[4] = {1, 2, 3, 4};\n",
      // A call, a declaration and a static function define nothing.
      "lib/other.c":
        "void effect(void);\nstatic void helper(void) {}\nvoid caller(void) { effect(); }\n",
      "tests/effect_test.c": "void effect(void) {}\n",
    ])
    let built = try place.build("a.c")
    let names = Set(built.dependencies.map { URL(fileURLWithPath: $0).lastPathComponent })
    #expect(names.isSuperset(of: ["dsp_core.c", "misc.c", "tables.c"]))
    #expect(names.isDisjoint(with: ["effect_test.c"]))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/c++")))
  func `methods of classes are found by their class`() throws {
    let place = try Place([
      "a.cpp": """
      struct Filter { Filter(); ~Filter(); virtual float run(float x) const; };
      extern "C" void process(void *, const float *const *in, float *const *out, const float *, unsigned) {
        Filter f; out[0][0] = f.run(in[0][0]);
      }
      """,
      "engine/all.cpp": """
      struct Filter { Filter(); ~Filter(); virtual float run(float x) const; };
      Filter::Filter() {}
      Filter::~Filter() {}
      float Filter::run(float x) const { return x; }
      """,
      "engine/else.cpp":
        "struct Other { float run(float); };\nfloat Other::run(float x) { return x; }\n",
    ])
    let built = try place.build("a.cpp")
    let names = Set(built.dependencies.map { URL(fileURLWithPath: $0).lastPathComponent })
    #expect(names.contains("all.cpp") && !names.contains("else.cpp"))
  }

  @Test func `what several files define, or none, is said`() throws {
    let several = try Place([
      "a.c": Self.module("void effect(void);", calling: "effect"),
      "one/x.c": "void effect(void) {}\n", "two/y.c": "void effect(void) { (void)0; }\n",
    ])
    let complaint = several.complaint("a.c")
    #expect(complaint.contains("`effect` is defined in "), "\(complaint)")
    #expect(complaint.contains("x.c and ") && complaint.contains("y.c; include the one"))
    let none = try Place(["a.c": Self.module("void fftwf_execute();", calling: "fftwf_execute")])
    #expect(none.complaint("a.c").contains("add `compiler_flags: -lfftw3f`"))
    let unknown = try Place(["a.c": Self.module("void zzz_run();", calling: "zzz_run")])
    #expect(unknown.complaint("a.c").contains("No source near it defines `zzz_run`;"))
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
