// ModuleLibraryTests.swift: libraries that are refused, and the messages. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import Testing

@testable import ModuleHost

/// The error of loading a library; nil if it succeeds.
private func refusal(_ path: String) -> ModuleError? {
  do throws(ModuleError) {
    _ = try ModuleLibrary(path: path)
    return nil
  } catch { return error }
}

@Suite struct ModuleLibraryTests {
  @Test func `a path without a file is named`() {
    let error = refusal("/nonexistent/module.so")
    #expect(error == .missing(path: "/nonexistent/module.so"))
    #expect(
      error?.description == "/nonexistent/module.so: no such file. A module is a shared"
        + " library with a manifest in the same directory.")
    #expect(refusal("/dev/null/module.so") == .missing(path: "/dev/null/module.so"))
  }

  @Test func `a file without permission is not reported as missing`() throws {
    let path = Fixture.directory.appending(path: "loop.so").path
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    #expect(
      refusal(path)?.description
        == "\(path): the library failed to load: Too many levels of symbolic links.")
  }

  @Test func `text, an empty file, a directory and a pipe are not libraries`() throws {
    let text = try Fixture.write(Data("void process();\n".utf8), as: "text.so")
    let empty = try Fixture.write(Data(), as: "empty.so")
    let pipe = Fixture.directory.appending(path: "pipe.so").path
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [text, empty, Fixture.directory.path, pipe] {
      #expect(refusal(path) == .notALibrary(path: path))
    }
    #expect(
      refusal(text)?.description
        == "\(text): this is not a shared library. Build one with `cc -shared -fPIC`.")
    let source = try Fixture.write(Data("void process();\n".utf8), as: "text.c++")
    #expect(
      refusal(source)?.description
        == "\(source): this is not a shared library or source file. Source files end in .c,"
        + " .cpp, .cc, .cxx or .swift.")
  }

  @Test func `an object file is not a library`() throws {
    var data = try Data(contentsOf: URL(filePath: Fixture.compile("process_only")))
    // Byte 16 is the type: 1 an object file, 3 a shared one.
    data[16] = 1
    let path = try Fixture.write(data, as: "object.so")
    #expect(refusal(path) == .notALibrary(path: path))
  }

  @Test(arguments: [0.01, 0.1, 0.5, 0.9, 0.999])
  func `a truncated library is reported as such, at any length`(share: Double) throws {
    let data = try Data(contentsOf: URL(filePath: Fixture.compile("process_only")))
    let path = try Fixture.write(data.prefix(Int(Double(data.count) * share)), as: "cut.so")
    #expect(
      refusal(path)?.description
        == "\(path): the library is truncated. Copy or build it"
        + " again.")
  }

  @Test func `a library without section headers is recognised as truncated by its segments`() throws
  {
    var data = try Data(contentsOf: URL(filePath: Fixture.compile("process_only")))
    // Bytes 40 to 47 have the offset of the section headers, 60 and 61 their number.
    data.replaceSubrange(40 ..< 48, with: [UInt8](repeating: 0, count: 8))
    data.replaceSubrange(60 ..< 62, with: [0, 0])
    #expect(refusal(try Fixture.write(data, as: "sectionless.so")) == nil)
    let path = try Fixture.write(data.prefix(0x1800), as: "sectionless-cut.so")
    #expect(refusal(path) == .truncated(path: path))
  }

  @Test func `a header with invalid numbers is refused without a crash`() throws {
    let good = try Data(contentsOf: URL(filePath: Fixture.compile("process_only")))
    for offset in [32, 40] {
      var data = good
      data.replaceSubrange(offset ..< offset + 8, with: [UInt8](repeating: 0xff, count: 8))
      let path = try Fixture.write(data, as: "absurd.so")
      #expect(refusal(path) == .truncated(path: path))
    }
  }

  @Test func `a library for another processor is named with both`() throws {
    var data = try Data(contentsOf: URL(filePath: Fixture.compile("process_only")))
    let native = data[18] == 62 ? "x86-64" : "ARM (64 bits)"
    for (machine, name) in [(243, "RISC-V"), (40, "ARM (32 bits)"), (200, "machine 200")] {
      data[18] = UInt8(machine)
      let path = try Fixture.write(data, as: "foreign.so")
      #expect(
        refusal(path)?.description
          == "\(path): the library is built for \(name), but this machine needs \(native)."
          + " Build it on this machine.")
    }
    // Big-endian: the two bytes of the machine field are swapped.
    (data[5], data[18], data[19]) = (2, 0, 21)
    let path = try Fixture.write(data, as: "big-endian.so")
    let error = refusal(path)
    #expect(
      error == .wrongArchitecture(path: path, found: "PowerPC (64 bits)", needed: native))
  }

  @Test func `an undefined symbol is reported with the loader's message`() throws {
    let path = try Fixture.compile("undefined_symbol")
    #expect(
      refusal(path)?.description
        == "\(path): the library failed to load: undefined symbol: outboard_test_absent.")
  }

  @Test(arguments: ["no_process", "process_is_data"])
  func `a library without a required function is refused with its name`(fixture: String) throws {
    let path = try Fixture.compile(fixture)
    #expect(
      refusal(path)?.description
        == "\(path): the library does not export the required function `process`.")
  }

  @Test(.enabled(if: Fixture.hasCPlusPlus, "needs a C++ compiler"))
  func `a function with a C++ name is recognised, and the message says how to fix it`() throws {
    let path = try Fixture.compile("mangled_process")
    #expect(
      refusal(path)?.description
        == "\(path): the library exports `process` with a C++ name. Declare it as extern \"C\".")
  }

  @Test func `variables with the names of functions do not count as functions`() throws {
    #expect(throws: ModuleError.self) {
      try instance(of: "data_names", manifest(midi: true))
    }
    let node = try instance(of: "data_names")
    #expect(render(node, [ramp(10)], frames: 10, blocks: [10])[0] == ramp(10).map { $0 / 2 })
    #expect(node.latencyFrames == 0)
    #expect(node.save() == nil)
    #expect(!node.send(midi: [0x90, 60, 1], atFrame: 0))
    node.reset()
  }

  @Test func `functions of a library's dependencies are not its own functions`() throws {
    let node = try instance(of: "helper_names")
    #expect(node.latencyFrames == 0)
    #expect(render(node, [[1, 2]], frames: 2, blocks: [2]) == [[2, 4]])
  }

  @Test func `an indirect function counts as a function`() throws {
    let node = try instance(of: "indirect_process")
    #expect(render(node, [[1, 2]], frames: 2, blocks: [2]) == [[0.5, 1]])
  }

  @Test func `a library is unloaded with its last user`() throws {
    let path = try Fixture.copy("counted")
    var users = [try ModuleLibrary(path: path), try ModuleLibrary(path: path)]
    users.removeLast()
    #expect(isLoaded(path))
    users = []
    #expect(!isLoaded(path))
  }

  private func isLoaded(_ path: String) -> Bool {
    guard let library = dlopen(path, RTLD_NOLOAD | RTLD_NOW) else { return false }
    dlclose(library)
    return true
  }
}
