// CompiledAdapterTests.swift: adapters that are compiled once for many sources. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ModuleBuild

@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/c++"), "no C++ compiler"))
struct CompiledAdapterTests {
  /// A cache, two sources for one adapter and its headers; removed with its last reference.
  private final class Workshop: Sendable {
    let path =
      FileManager.default.temporaryDirectory.path + "/outboard-adapter-\(UUID().uuidString)"
    var cache: String { path + "/cache" }
    var headers: String { path + "/headers" }

    init() throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: root + "/Sources/SDK/ModuleABI/include", toPath: headers)
      for name in ["a", "b"] {
        try """
        #include <audioeffectx.h>
        struct Thru : AudioEffectX {
          Thru(audioMasterCallback m) : AudioEffectX(m, 0, 0) { setNumInputs(2), setNumOutputs(2); }
          void processReplacing(float **in, float **out, VstInt32 n) override {
            for (int c = 0; c < 2; c++) for (int i = 0; i < n; i++) out[c][i] = in[c][i];
          }
        };
        AudioEffect *createEffectInstance(audioMasterCallback m) { return new Thru(m); }
        // \(name)
        """.write(toFile: "\(path)/\(name).cpp", atomically: true, encoding: .utf8)
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func build(_ name: String, flags: [String] = []) throws -> BuiltModule {
      let built = try ModuleBuilder(cache: cache, headers: headers, kit: nil).build(
        ModuleSource(path: "\(path)/\(name).cpp"), manifest: "abi: 1", flags: flags)
      let library = try #require(dlopen(built.library, RTLD_NOW))
      #expect(dlsym(library, "process") != nil)
      dlclose(library)
      return built
    }

    /// The adapters, and the state of the object of each.
    var objects: [String: FileStamps] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: cache + "/adapters")) ?? []
      return Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, FileStamps(["\(cache)/adapters/\($0)/adapter.o"]))
        })
    }

    /// The path of a file of the only adapter.
    func file(_ name: String) throws -> String {
      "\(cache)/adapters/\(try #require(objects.keys.first))/\(name)"
    }
  }

  @Test func `sources of a format use one object of their adapter`() throws {
    let workshop = try Workshop()
    let first = try workshop.build("a")
    let objects = workshop.objects
    #expect(objects.count == 1 && objects.values.allSatisfy { $0.lastChange != nil })
    let second = try workshop.build("b")
    #expect(workshop.objects == objects)
    #expect(first.library != second.library)
    // The headers of the adapter are dependencies of each source.
    let header = workshop.headers + "/outboard/port.h"
    #expect(first.dependencies.contains(header) && second.dependencies.contains(header))
    #expect(!second.dependencies.contains { $0.contains("outboard_adapter") })
  }

  @Test func `other flags have another object`() throws {
    let workshop = try Workshop()
    try workshop.build("a")
    try workshop.build("b", flags: ["-DOUTBOARD_LATENCY=5"])
    #expect(workshop.objects.count == 2)
  }

  @Test func `a changed header compiles the adapter again`() throws {
    let workshop = try Workshop()
    try workshop.build("a")
    let objects = workshop.objects
    let header = workshop.headers + "/outboard/port.h"
    let text = try String(contentsOfFile: header, encoding: .utf8)
    try (text + "\n#define CHANGED\n").write(toFile: header, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.modificationDate: Date.distantPast], ofItemAtPath: header)
    try workshop.build("b")
    #expect(workshop.objects != objects)
    #expect(workshop.objects.keys == objects.keys)
  }

  @Test(arguments: ["adapter.o", "dependencies"])
  func `a truncated, empty or missing file of the cache is replaced`(file: String) throws {
    let workshop = try Workshop()
    try workshop.build("a")
    let path = try workshop.file(file)
    let data = try #require(FileManager.default.contents(atPath: path))
    for damaged in [data.prefix(data.count / 2), Data(), nil] {
      try FileManager.default.removeItem(atPath: path)
      if let damaged { try Data(damaged).write(to: URL(fileURLWithPath: path)) }
      let objects = workshop.objects
      let built = try workshop.build("b")
      try FileManager.default.removeItem(atPath: built.directory)
      #expect(workshop.objects != objects, "\(damaged?.count ?? -1)")
      #expect(FileManager.default.contents(atPath: path)?.isEmpty == false)
    }
  }

  @Test func `several builds at once give whole libraries`() async throws {
    let workshop = try Workshop()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in ["a", "b"] { group.addTask { try workshop.build(name) } }
      try await group.waitForAll()
    }
    let objects = workshop.objects
    #expect(objects.count == 1)
    let path = try workshop.build("a").directory
    #expect(FileManager.default.fileExists(atPath: path + "/module.so"))
  }

  @Test func `an adapter in a cache that others can write is not used`() throws {
    let workshop = try Workshop()
    try workshop.build("b")
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: workshop.cache)
    #expect(throws: ModuleBuildError.self) { try workshop.build("a") }
  }

  @Test func `an adapter that is not used for long is removed`() throws {
    let workshop = try Workshop()
    try workshop.build("a")
    let directory = workshop.cache + "/adapters/" + (try #require(workshop.objects.keys.first))
    let old = Date(timeIntervalSinceNow: -100 * 86_400)
    for path in [try workshop.file("adapter.o"), try workshop.file("dependencies"), directory] {
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
    }
    try workshop.build("b", flags: ["-DOUTBOARD_LATENCY=5"])
    #expect(!FileManager.default.fileExists(atPath: directory))
  }
}
