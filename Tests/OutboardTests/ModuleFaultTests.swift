// ModuleFaultTests.swift: native modules that are broken. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import Testing

@Suite struct `Modules that are broken` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  private func refuses(_ plugin: String, says message: String) throws {
    try expectFailure(
      ["render", plugin, "-i", "in.wav", "-o", "out.wav"], in: scratch, message)
  }

  @Test func `a library without process is refused`() throws {
    try scratch.addModule("broken", fixture: "no_process")
    try refuses(
      "./broken.so",
      says: "\(scratch.path("broken.so")): the library does not export the required function"
        + " `process`.")
  }

  @Test func `a module for another version of the interface is refused`() throws {
    try scratch.addModule("later", fixture: "process_only")
    let manifest = try String(contentsOfFile: scratch.path("later.yaml"), encoding: .utf8)
    try scratch.write(manifest.replacingOccurrences(of: "abi: 1", with: "abi: 7"), to: "later.yaml")
    try refuses(
      "./later.so",
      says:
        "\(scratch.path("later.yaml")):1: abi: the manifest says abi: 7, but this program"
        + " supports only abi 1.")
  }

  @Test func `a module that crashes in create is refused, and the program continues`() throws {
    try scratch.addModule("deadly", fixture: "crash_in_create")
    try refuses(
      "./deadly.so",
      says: "deadly crashed (signal 11, segmentation fault) while it was created at 48000 Hz with"
        + " blocks of 1024 frames.")
    // The second time with the recorded result.
    try refuses(
      "./deadly.so",
      says: "deadly crashed (signal 11, segmentation fault) while it was created at 48000 Hz with"
        + " blocks of 1024 frames.")
  }

  @Test(arguments: [
    ["render", "late.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "16"],
    [
      "run", "--isolate", "off", "--no-restart", "late.c", "--in", "dummy", "--out", "dummy",
      "--duration", "5",
    ],
  ])
  func `code that crashes later is named in the message`(arguments: [String]) throws {
    // Longer than its preflight.
    try scratch.write(
      """
      void process(void *state, const float *const *in, float *const *out,
                   const float *parameters, unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = out[1][i] = in[0][i];
        if (++count > 400) *(volatile int *)0 = 1;
      }
      """, to: "late.c")
    let result = try Program.run(arguments, in: scratch)
    #expect(result.status != 0)
    let words =
      "outboard: late.c (late) crashed (signal 11, segmentation fault) at late.c:5, module.so+"
    #expect(result.error.contains(words), "\(result.error)")
    #expect(result.error.contains("(process), which ended the program."), "\(result.error)")
  }

  @Test(arguments: [(flag: "-g0", isSearched: false), (flag: "-g", isSearched: true)])
  func `the tools for source lines start only if the library has lines`(
    flag: String, isSearched: Bool
  ) throws {
    try scratch.write(
      """
      void process(void *state, const float *const *in, float *const *out,
                   const float *parameters, unsigned frames) {
        static unsigned count;
        if (++count > 400) *(volatile int *)0 = 1;
      }
      """, to: "late.c")
    try scratch.write("abi: 1\nid: test.late\nname: Late\ninputs: 2\noutputs: 2\n", to: "late.yaml")
    for tool in ["addr2line", "llvm-symbolizer"] {
      try scratch.write("#!/bin/sh\n: >called\n", to: tool)
    }
    let build = try Program.shell(
      "chmod +x addr2line llvm-symbolizer && cc \(flag) -shared -fPIC -o late.so late.c",
      in: scratch)
    #expect(build.status == 0, "\(build.error)")
    let result = try Program.shell(
      "PATH=$PWD:$PATH exec \(Program.url.path) render ./late.so -i in.wav -o out.wav --block-length 16",
      in: scratch)
    #expect(result.error.contains("test.late (Late) crashed"), "\(result.error)")
    #expect(scratch.exists("called") == isSearched)
  }

  @Test func `a call of a null pointer is reported at the line of the call`() throws {
    try scratch.write(
      """
      void (*volatile callback)(void);
      void process(void *state, const float *const *in, float *const *out,
                   const float *parameters, unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = out[1][i] = in[0][i];
        if (++count > 400) callback();
        out[0][0] += 0.5f;
      }
      """, to: "call.c")
    let arguments = ["render", "call.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "16"]
    let result = try Program.run(arguments, in: scratch)
    let words =
      "outboard: call.c (call) crashed (signal 11, segmentation fault) at call.c:6, module.so+"
    #expect(result.error.contains(words), "\(result.error)")
  }

  @Test func `a library without a manifest is refused`() throws {
    try FileManager.default.copyItem(
      atPath: try Fixture.compile("process_only"), toPath: scratch.path("alone.so"))
    try refuses(
      "./alone.so",
      says: "./alone.so has no manifest. Put alone.yaml in the same directory, with its id, name"
        + " and channel counts.")
  }

  @Test func `a manifest without a library is refused`() throws {
    try scratch.addModule("empty")
    try refuses(
      "./empty.yaml",
      says: "./empty.yaml has no library. Put empty.so or libempty.so in the same directory.")
  }

  @Test func `a truncated library is refused`() throws {
    try scratch.addModule("short", fixture: "process_only")
    let whole = try scratch.data("short.so")
    try scratch.write(whole.prefix(whole.count / 2), to: "short.so")
    try refuses(
      "./short.so",
      says: "./short.so: the library is truncated. Copy or"
        + " build it again.")
  }

  @Test func `a library for another architecture is refused`() throws {
    try scratch.addModule("foreign", fixture: "process_only")
    var library = try scratch.data("foreign.so")
    // The machine number in the ELF header: 243 is RISC-V, on which no host of these tests runs.
    library[18] = 243
    library[19] = 0
    try scratch.write(library, to: "foreign.so")
    #if arch(x86_64)
    let native = "x86-64"
    #else
    let native = "ARM (64 bits)"
    #endif
    try refuses(
      "./foreign.so",
      says: "./foreign.so: the library is built for RISC-V, but this machine needs \(native). Build"
        + " it on this machine.")
  }

  @Test func `a file that is not a library is refused, and a missing one`() throws {
    try scratch.write("hello", to: "text.so")
    try refuses(
      "./text.so",
      says: "./text.so: this is not a shared library. Build one with `cc -shared -fPIC`.")
    try refuses(
      "./nowhere.so",
      says: "./nowhere.so: no such file. A module is a shared library with a manifest"
        + " in the same directory.")
  }

  @Test func `a missing Swift compiler is reported for a source, not for the kit`() throws {
    try scratch.write("import ModuleKit\n", to: "hush.swift")
    let result = try Program.run(
      ["info", "./hush.swift"], in: scratch,
      environment: ["SWIFTC": "no-swiftc", "XDG_CACHE_HOME": scratch.path("cache")])
    #expect(
      result.error
        == "outboard: ./hush.swift cannot be compiled: no-swiftc is not installed. Install it, unset"
        + " CC, CXX or SWIFTC, or use a compiled library.\n")
    #expect(result.status == 2)
  }

  @Test(arguments: ["/bin/true", "/bin/false"])
  func `a program that is not a compiler is reported as such`(program: String) throws {
    try scratch.write("void process(void) {}\n", to: "hush.c")
    let result = try Program.run(
      ["info", "./hush.c"], in: scratch,
      environment: ["CC": program, "XDG_CACHE_HOME": scratch.path("cache")])
    #expect(
      result.error
        == "outboard: ./hush.c does not compile and the compiler printed no message. Check CC, CXX or"
        + " SWIFTC.\n")
    #expect(result.status == 2)
  }

  @Test func `a broken installed module does not affect others`() throws {
    try scratch.addModule("deadly", fixture: "crash_in_create", directory: "modules")
    try scratch.write("abi: 1\nid: test.bad\nnmae: Bad\n", to: "modules/bad.yaml")
    let result = try Program.run(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "out.wav"], in: scratch,
      environment: ["OUTBOARD_MODULE_PATH": scratch.path("modules")])
    #expect(result.status == 0)
    let list = try Program.run(
      ["list"], in: scratch, environment: ["OUTBOARD_MODULE_PATH": scratch.path("modules")])
    #expect(list.text.contains("test.deadly"))
    #expect(
      list.error
        == "outboard: 1 bundle could not be read. Run `outboard list --unusable` to see the"
        + " reason.\n")
    #expect(list.status == 0)
  }
}
