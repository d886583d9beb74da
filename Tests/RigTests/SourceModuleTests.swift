// SourceModuleTests.swift: source files as plugins. SPDX-License-Identifier: MIT

import Foundation
import ModuleBuild
import PluginCatalogue
import PluginModel
import RigTestSupport
import Testing

@testable import Manifests
@testable import PluginLoading
@testable import SourceModules

@Suite struct SourceModuleTests {
  @Test func `a cache directory that others can write to is not used`() throws {
    let workshop = try RigTestEnvironment()
    let files = FileManager.default
    #expect(ModuleBuilder.isPrivateDirectory(workshop.path + "/made/here"))
    try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: workshop.path + "/made/here")
    #expect(!ModuleBuilder.isPrivateDirectory(workshop.path + "/made/here"))
    try files.createSymbolicLink(
      atPath: workshop.path + "/link", withDestinationPath: workshop.path + "/made")
    #expect(!ModuleBuilder.isPrivateDirectory(workshop.path + "/link"))
    #expect(ModuleBuilder.isPrivateDirectory(workshop.path + "/made"))
  }

  @Test func `a C file without a manifest is stereo, without parameters, and plays`() throws {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(half, as: "half.c"))
    #expect(plugin.identifier == "source.half")
    #expect(plugin.audioInputs.count == 2 && plugin.audioOutputs.count == 2)
    #expect(plugin.parameters.isEmpty)
    #expect(try output(of: plugin, workshop.library) == [0.5, 0.5])
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `a C++ file is compiled as such`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      #include <algorithm>
      #include <cstdint>
      extern "C" void process(
          void *, const float *const *in, float *const *out, const float *, uint32_t n) {
        for (auto c : {0, 1}) std::transform(in[c], in[c] + n, out[c], [](float x) { return 3 * x; });
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "triple.cpp"))
    #expect(try output(of: plugin, workshop.library) == [3, 3])
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("swiftc"), "there is no Swift compiler"))
  func `a Swift file is compiled as such, with blanks and dashes in its name`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      @c(process)
      public func process(
        _ state: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
        _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>?,
        _ frameCount: UInt32
      ) {
        for channel in 0 ..< 2 {
          for frame in 0 ..< Int(frameCount) { outputs[channel][frame] = inputs[channel][frame] * 5 }
        }
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "five - times.swift"))
    #expect(plugin.name == "five - times")
    #expect(try output(of: plugin, workshop.library) == [5, 5])
  }

  @Test(
    arguments: [
      ("two words.c", "two words", "source.two_words"), ("-dash.c", "-dash", "source._dash"),
      ("größe 音.c", "größe 音", "source.gr__e__"), ("a: b #c.c", "a: b #c", "source.a__b__c"),
      ("\"q\\uote\".c", "\"q\\uote\"", "source._q_uote_"), ("null.c", "null", "source.null"),
      ("two\nlines.c", "two lines", "source.two_lines"), ("v1.2.c", "v1.2", "source.v1_2"),
      (String(repeating: "x", count: 253) + ".c", String(repeating: "x", count: 253), nil),
    ] as [(String, String, String?)])
  func `a file may have any name`(file: String, name: String, id: String?) throws {
    let workshop = try RigTestEnvironment()
    let path = workshop.path + "/" + file
    // Written directly, because the name of a temporary file would be too long.
    #expect(FileManager.default.createFile(atPath: path, contents: Data(half.utf8)))
    let plugin = try workshop.library.find(path)
    #expect(plugin.name == name)
    if let id { #expect(plugin.identifier == id) }
    #expect(try output(of: plugin, workshop.library) == [0.5, 0.5])
  }

  @Test func `a manifest next to the source is used`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write(
      """
      abi: 1
      id: my.level
      name: Level
      inputs: 1
      outputs: 1
      parameters: [{symbol: level, name: Level, minimum: 0, default: 0.25, maximum: 1}]
      """, as: "level.yaml")
    let source = """
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        (void)s;
        for (unsigned i = 0; i < n; i++) out[0][i] = p[0] * in[0][i];
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "level.c"))
    #expect(plugin.identifier == "my.level")
    #expect(plugin.parameters.map(\.symbol) == ["level"])
    #expect(try output(of: plugin, workshop.library) == [0.25])
    try FileManager.default.removeItem(atPath: workshop.path + "/level.yaml")
    #expect(try workshop.library.find(workshop.path + "/level.c").identifier == "source.level")
  }

  @Test func `an error in the manifest next to the source is reported with its path`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let manifest = try workshop.write(
      "abi: 1\nid: a\nnam: A\ninputs: 2\noutputs: 2\n", as: "a.yaml")
    let source = try workshop.write(half, as: "a.c")
    let error = #expect(throws: ManifestError.self) { try workshop.library.find(source) }
    #expect(
      error?.description == "\(manifest):3: nam: unknown key. Did you mean \"name\"?")
  }

  @Test func `compiler errors are reported with file and line`() throws {
    let workshop = try RigTestEnvironment()
    let source = try workshop.write("int x;\nvoid process( { }\n", as: "broken.c")
    let error = #expect(throws: ModuleBuildError.self) { try workshop.library.find(source) }
    let text = try #require(error?.description)
    #expect(text.hasPrefix("\(source) does not compile:\n"))
    #expect(text.contains("broken.c:2:"))
    let left = try FileManager.default.subpathsOfDirectory(atPath: workshop.path + "/cache")
    #expect(!left.contains { $0.contains(".so") })
  }

  @Test func `a file that is compiled again replaces the old module, but not if it fails`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let source = try workshop.write(half, as: "half.c")
    let first = try workshop.library.find(source)
    #expect(try output(of: first, workshop.library) == [0.5, 0.5])
    try workshop.write("nonsense", as: "half.c")
    #expect(throws: ModuleBuildError.self) { try workshop.library.find(source) }
    #expect(FileManager.default.fileExists(atPath: first.library))
  }

  @Test func `a deleted source is reported as missing, and a directory is not a source`() throws {
    let workshop = try RigTestEnvironment()
    let source = try workshop.write(half, as: "half.c")
    _ = try workshop.library.find(source)
    try FileManager.default.removeItem(atPath: source)
    let error = #expect(throws: ModuleBuildError.self) { try workshop.library.find(source) }
    #expect(
      error?.description
        == "\(source): no such file.")
  }

  @Test func `the source sets flags, definitions and header directories`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write("#define LEVEL DEFINED", as: "far/away/level.h")
    try workshop.write("#define OFFSET 0.125f", as: "fx/include/offset.h")
    let source = """
      // outboard: inputs: 2, outputs: 2, compiler_flags: -I../far/away -DDEFINED=0.25f -lz
      #include <level.h>
      #include <offset.h>
      extern const char *zlibVersion(void);
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (int c = 0; c < 2; c++)
          for (unsigned i = 0; i < n; i++)
            out[c][i] = zlibVersion() ? in[c][i] * LEVEL + OFFSET : 0;
      }
      """
    try workshop.write(source, as: "fx/fx.c")
    let plugin = try workshop.library.find(workshop.path + "/fx/")
    #expect(try output(of: plugin, workshop.library) == [0.375, 0.375])
  }

  @Test func `a directory whose sources are in subdirectories is reported with them`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write(half, as: "nest/deep/er/half.c")
    try workshop.write("", as: "bare/notes.txt")
    for (directory, words) in [("nest", "; there are some in deep/er/."), ("bare", ".")] {
      let path = "\(workshop.path)/\(directory)"
      let error = #expect(throws: ModuleBuildError.self) { try workshop.library.find(path) }
      #expect(
        error?.description == "\(path): no .c, .cpp or .swift file in this directory\(words)")
    }
  }

  @Test func `for code that needs a porting header, the message names it`() throws {
    let workshop = try RigTestEnvironment()
    let source = try workshop.write(
      "#include <outboard/faust.h>\nstruct mydsp : dsp { typedef FAUSTFLOAT Sample; };",
      as: "old.cpp")
    let plugin = try workshop.library.find(source)
    let refusal = try #require(workshop.library.preflightError(of: plugin))
    #expect(refusal.contains("does not export the required function `process`"))
    #expect(
      refusal.hasSuffix(
        "Include <outboard/faust.h> and add the lines that `outboard help porting` shows."),
      "\(refusal)")
  }

  @Test func `for a function that is not exported as process, the message says what is missing`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(
      half.replacing("void process", with: "static void process"), as: "near.c")
    let plugin = try workshop.library.find(path)
    let refusal = try #require(workshop.library.preflightError(of: plugin))
    #expect(
      refusal.hasSuffix("`process` is not exported as `process`. Remove `static`."), "\(refusal)")
  }

  @Test func `missing values of a port are requested by name`() throws {
    let workshop = try RigTestEnvironment()
    let frames = try workshop.write(
      """
      #include <outboard/frames.h>
      typedef struct { int nothing; } Coder;
      static Coder *make(double rate) { return calloc(1, sizeof(Coder)); }
      static void run(Coder *c, float *out, const float *in) { memcpy(out, in, 480 * sizeof *in); }
      OUTBOARD_FRAMES(Coder, 480, 1, 2, 0, make, outboard_none, run, free)
      """, as: "frames.c")
    let kernel = try workshop.write(
      """
      #include <outboard/tick.h>
      typedef struct { float gain; } Gain;
      static void set(Gain *g, const float *p) { g->gain = p[0] * p[1]; }
      static float tick(Gain *g, float x) { return g->gain * x; }
      OUTBOARD_TICK(Gain, 2, 2, outboard_none, set, tick)
      """, as: "kernel.c")
    for (path, words) in [
      (
        frames,
        "succeeds with blocks of 480 frames. Declare `block: {fixed: 480}` in its manifest. The manifest is the"
          + " comment that starts with `// outboard:`."
      ),
      (
        kernel,
        "Declare them in a comment: `// outboard: inputs: 2, outputs: 2, parameters: [{symbol: first, name:"
          + " First, minimum: 0, default: 0.5, maximum: 1}, ...]`."
      ),
    ] {
      let plugin = try workshop.library.find(path)
      let refusal = try #require(workshop.library.preflightError(of: plugin))
      #expect(refusal.hasSuffix(words), "\(refusal)")
    }
  }

  @Test func `a refusal by the module itself is not recorded`() throws {
    let workshop = try RigTestEnvironment()
    let source = try workshop.write(
      """
      #include <stdio.h>
      void *create(double rate, unsigned longest) { return fopen("\(workshop.path)/table", "r"); }
      void destroy(void *s) { fclose(s); }
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (int c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i];
      }
      """, as: "needs.c")
    let plugin = try workshop.library.find(source)
    #expect(workshop.library.preflightError(of: plugin) != nil)
    try workshop.write("", as: "table")
    #expect(workshop.library.preflightError(of: plugin) == nil)
  }

  @Test func `two sources of one name have separate libraries`() throws {
    let workshop = try RigTestEnvironment()
    let one = try workshop.library.find(workshop.write(half, as: "one/fx.c"))
    let quarter = half.replacing("0.5f", with: "0.25f")
    let other = try workshop.library.find(workshop.write(quarter, as: "other/fx.c"))
    #expect(try output(of: one, workshop.library) == [0.5, 0.5])
    #expect(try output(of: other, workshop.library) == [0.25, 0.25])
  }

  @Test func `a cache that cannot be written is reported, and the message says how to fix it`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let source = try workshop.write(half, as: "half.c")
    let error = #expect(throws: ModuleBuildError.self) {
      try SourceModule(source, cache: "/proc/nowhere", child: workshop.library.catalogue.child)
        .build()
    }
    #expect(
      error?.description.hasSuffix(
        ". Set XDG_CACHE_HOME to a writable directory.") == true)
  }

  @Test func `each language is reported with the source of its compiler`() {
    #expect(
      ModuleBuildError.noCompiler(program: "c++", path: "a.cpp").description
        == "a.cpp cannot be compiled: c++ is not installed. Install a compiler (apt-get install g++) or use a"
        + " compiled library.")
    #expect(
      ModuleBuildError.noCompiler(program: "swiftc", path: "a.swift").description
        == "a.swift cannot be compiled: swiftc is not installed. Install Swift (swift.org/install) or"
        + " use a compiled library.")
  }
}
