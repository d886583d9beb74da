// ModuleBuilderTests.swift: compiling, caching and recompiling. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ModuleBuild

@Suite struct ModuleBuilderTests {
  /// A directory for sources and a cache, removed with its last reference.
  private final class Place {
    let path = FileManager.default.temporaryDirectory.path + "/outboard-build-\(UUID().uuidString)"
    var builder: ModuleBuilder { ModuleBuilder(cache: path + "/cache", headers: nil, kit: nil) }

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ text: String, as name: String) throws -> String {
      let file = "\(path)/\(name)"
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      return file
    }

    func build(_ name: String) throws -> BuiltModule {
      try builder.build(ModuleSource(path: "\(path)/\(name)"), manifest: "abi: 1")
    }
  }

  private let nothing = """
    void process(void *s, const float *const *i, float *const *o, const float *p, unsigned n) {}
    """

  @Test func `a build for other machines has no instructions specific to this processor`() throws {
    let place = try Place()
    for name in ["a.c", "a.cpp"] {
      let source = try ModuleSource(path: place.write(nothing, as: name))
      let recipe = Compiler(source, headers: nil, near: "near").recipe
      #expect(recipe.contains("-march=native"))
      // Otherwise the output would differ from that of an exported module.
      #expect(source.language == .swift || recipe.contains("-ffp-contract=off"))
      #expect(
        !Compiler(source, headers: nil, near: "near", isPortable: true).recipe.contains("-march"))
    }
    // The two builds are not confused.
    let portable = ModuleBuilder(
      cache: place.path + "/cache", headers: nil, kit: nil, isPortable: true)
    let built = try portable.build(ModuleSource(path: place.path + "/a.c"), manifest: "abi: 1")
    #expect(try built.library != place.build("a.c").library)
  }

  @Test func `an unchanged source is taken from the cache`() throws {
    let place = try Place()
    try place.write(nothing, as: "a.c")
    let first = try place.build("a.c")
    let facts = FileStamps([first.library])
    let again = try place.build("a.c")
    #expect(again.library == first.library)
    #expect(FileStamps([again.library]) == facts)
  }

  @Test func `other content gives another library, and the old one remains`() throws {
    let place = try Place()
    try place.write(nothing, as: "a.c")
    let first = try place.build("a.c")
    try place.write(nothing + "\nint more;", as: "a.c")
    let second = try place.build("a.c")
    #expect(first.library != second.library)
    #expect(FileManager.default.fileExists(atPath: first.library))
  }

  @Test func `a changed header is compiled again, and is among the dependencies`() throws {
    let place = try Place()
    let header = try place.write("#define GAIN 1", as: "my gain.h")
    try place.write("#include \"my gain.h\"\n" + nothing, as: "a.c")
    let first = try place.build("a.c")
    #expect(first.dependencies.contains(header))
    #expect(try place.build("a.c").library == first.library)
    try place.write("#define GAIN 2", as: "my gain.h")
    #expect(try place.build("a.c").library != first.library)
  }

  @Test func `a directory is compiled as a whole, C and C++ together`() throws {
    let place = try Place()
    try place.write("int helper(void) { return 1; }", as: "fx/helper.c")
    try place.write(
      "extern \"C\" int helper(void);\nextern \"C\" "
        + nothing.replacing("{}", with: "{ helper(); }"),
      as: "fx/main.cpp")
    try place.write("not a source", as: "fx/notes.txt")
    let source = try ModuleSource(path: place.path + "/fx")
    #expect(
      source.files.map { URL(fileURLWithPath: $0).lastPathComponent } == ["helper.c", "main.cpp"])
    #expect(source.language == .cPlusPlus)
    #expect(FileManager.default.fileExists(atPath: try place.build("fx").library))
  }

  @Test func `an undefined function is reported by the linker's message`() throws {
    let place = try Place()
    let path = try place.write(
      "void nowhere(void);\n" + nothing.replacing("{}", with: "{ nowhere(); }"), as: "a.c")
    let error = #expect(throws: ModuleBuildError.self) { try place.build("a.c") }
    #expect(error?.description.hasPrefix("\(path) does not compile:\n") == true)
    #expect(error?.description.contains("nowhere") == true)
  }

  private let newer = """
    #include <concepts>
    #include <numbers>
    #include <span>
    template <std::floating_point T> static T half(std::span<T> s) { return T(s[0] / std::numbers::pi); }
    """
  private let callsNewer = """
    extern "C" void process(void *, const float *const *, float *const *o, const float *, unsigned n) {
      o[0][0] = half(std::span<float>(o[0], n));
    }
    """

  @Test func `C++20 is compiled as C++20, together with older C++`() throws {
    let place = try Place()
    try place.write("\(newer)\n\(callsNewer)", as: "a.cpp")
    #expect(try FileManager.default.fileExists(atPath: place.build("a.cpp").library))
    // Keywords of newer C++ are identifiers in older code.
    try place.write("\(newer)\n\(callsNewer)", as: "f/new.cpp")
    try place.write("int concept = 1; int twice() { return 2 * concept; }", as: "f/old.cpp")
    #expect(try FileManager.default.fileExists(atPath: place.build("f").library))
  }

  @Test func `code that fails in every C++ version gets the errors of its own version`() throws {
    let place = try Place()
    /// The compiler's error messages.
    func errors(_ text: String, flags: [String] = []) throws -> [Substring] {
      let source = try ModuleSource(path: place.write(text, as: "a.cpp"))
      let error = #expect(throws: ModuleBuildError.self) {
        try place.builder.build(source, manifest: "abi: 1", flags: flags)
      }
      return (error?.description ?? "").split(separator: "\n").filter { $0.contains(" error: ") }
    }
    let slip = "\(newer)\n\(callsNewer.replacing("o[0][0] =", with: "o[0][0] = nix +"))"
    let reported = try errors(slip)
    #expect(reported.count == 1 && reported[0].contains("nix"), "\(reported)")
    #expect(try errors(slip, flags: ["-std=c++17"]).count > 1)
    let old = try errors("int concept = nix; int requires = 2;")
    #expect(old.count == 1 && old[0].contains("nix"), "\(old)")
  }

  @Test func `only a few old builds remain`() throws {
    let place = try Place()
    for number in 0 ..< 7 {
      try place.write(nothing + "\nint v\(number);", as: "a.c")
      let built = try place.build("a.c")
      #expect(FileManager.default.fileExists(atPath: built.library))
    }
    let kept = try FileManager.default.subpathsOfDirectory(atPath: place.path + "/cache")
      .filter { $0.hasSuffix("module.so") }
    #expect(kept.count == 4)
  }

  @Test func `remains of a killed program are removed, and running builds are not`()
    throws
  {
    let place = try Place()
    try place.write(nothing, as: "a.c")
    let first = try place.build("a.c")
    let home = URL(fileURLWithPath: first.directory).deletingLastPathComponent().path
    let ended = Process()
    ended.executableURL = URL(fileURLWithPath: "/bin/true")
    try ended.run()
    ended.waitUntilExit()
    let orphan = "\(home)/fresh.\(ended.processIdentifier).1"
    let living = (1 ... 6).map { "\(home)/fresh.\(getpid()).\($0)" }
    for directory in [orphan] + living {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }
    // Complete, but not renamed yet.
    for directory in living { try Data().write(to: URL(fileURLWithPath: "\(directory)/module.so")) }
    try place.write(nothing + "\nint v;", as: "a.c")
    _ = try place.build("a.c")
    #expect(!FileManager.default.fileExists(atPath: orphan))
    for directory in living {
      #expect(FileManager.default.fileExists(atPath: directory + "/module.so"))
    }
  }

  @Test func `builds of a long unused source are removed at the next build`() throws {
    let place = try Place()
    var homes: [String] = []
    for (name, days) in [("old.c", 100.0), ("used.c", 100), ("young.c", 10)] {
      try place.write(nothing, as: name)
      let directory = try place.build(name).directory
      let home = URL(fileURLWithPath: directory).deletingLastPathComponent().path
      homes.append(home)
      let files = try FileManager.default.subpathsOfDirectory(atPath: home).map { "\(home)/\($0)" }
      for file in files + [home] where name != "used.c" || file != directory {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)], ofItemAtPath: file)
      }
    }
    try place.write(nothing, as: "new.c")
    _ = try place.build("new.c")
    #expect(homes.map { FileManager.default.fileExists(atPath: $0) } == [false, true, true])
  }

  @Test func `a pipe is refused as a source, and skipped in a directory`() throws {
    let place = try Place()
    try place.write(nothing, as: "fx/a.c")
    let pipe = "\(place.path)/fx/b.c"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: ModuleBuildError.notAFile(path: pipe)) { try place.build("fx/b.c") }
    #expect(try ModuleSource(path: "\(place.path)/fx").files == ["\(place.path)/fx/a.c"])
  }

  @Test func `Swift together with C is refused`() throws {
    let place = try Place()
    try place.write(nothing, as: "fx/a.c")
    try place.write("", as: "fx/b.swift")
    #expect(throws: ModuleBuildError.mixed(path: place.path + "/fx")) { try place.build("fx") }
  }

  @Test func `a directory without sources is refused`() throws {
    let place = try Place()
    try place.write("", as: "fx/readme.txt")
    #expect(throws: ModuleBuildError.noSource(path: place.path + "/fx", deeper: nil)) {
      try place.build("fx")
    }
    #expect(!ModuleSource.isSource(place.path + "/fx/readme.txt"))
  }

  @Test func `the only manifest in a directory is used under any name, and a rig is not`()
    throws
  {
    let place = try Place()
    try place.write(nothing, as: "fx/a.c")
    let source = try ModuleSource(path: place.path + "/fx")
    try place.write("nodes: []", as: "fx/rig.yaml")
    #expect(source.manifestPath == place.path + "/fx/fx.yaml")
    try place.write("abi: 1", as: "fx/other.yaml")
    #expect(source.manifestPath == place.path + "/fx/other.yaml")
    try place.write("abi: 1", as: "fx/fx.yaml")
    #expect(source.manifestPath == place.path + "/fx/fx.yaml")
  }

  @Test func `a copied module of the collection is compiled by its struct alone`()
    throws
  {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    let place = try Place()
    try FileManager.default.copyItem(atPath: root + "/Plugins/Limiter", toPath: place.path + "/fx")
    // The link to its other sources is broken here.
    let builder = ModuleBuilder(
      cache: place.path + "/cache", headers: root + "/Sources/SDK/ModuleABI/include",
      kit: root + "/Sources/SDK/ModuleKit")
    let built = try builder.build(ModuleSource(path: place.path + "/fx"), manifest: "abi: 1")
    let library = try #require(dlopen(built.library, RTLD_NOW))
    defer { dlclose(library) }
    for function in [
      "create", "destroy", "process", "reset", "latency", "midi", "load_file", "readouts",
    ] {
      #expect(dlsym(library, function) != nil, "\(function)")
    }
  }

  @Test func `a make rule is read with its lines and blanks`() throws {
    let place = try Place()
    let file = try place.write("0.o: a.c my\\ gain.h \\\n  /usr/x.h c\\#/1$$2.h\n", as: "0.d")
    #expect(Compiler.dependencies(in: file) == ["a.c", "my gain.h", "/usr/x.h", "c#/1$2.h"])
    #expect(Compiler.dependencies(in: place.path + "/none").isEmpty)
  }
}
