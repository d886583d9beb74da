// MemoryPreflightTests.swift: memory errors that a preflight finds, and their notes. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RigTestSupport
import TestWaits
import Testing

@testable import PluginLoading

@Suite struct MemoryPreflightTests {
  /// The notes of a preflight about a source that passes it.
  private func remarks(_ source: String, as file: String) throws -> [String] {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(source, as: file))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    return workshop.library.preflightRemarks
  }

  private let reverb = """
    // outboard: inputs: 2, outputs: 2
    #include <outboard/tick.h>
    #include <new>
    // Neither the buffer nor the position nor the pointer is ever initialised.
    struct Comb {
      float *buffer = new float[4000];
      int position;
      float *tap;
      ~Comb() { delete[] buffer; }
      float tick(float x) {
        if (tap) x += *tap;
        float y = buffer[position];
        buffer[position] = x + 0.5f * y;
        position = (position + 1) % 4000;
        return y;
      }
    };
    struct Effect {
      Comb *comb = new Comb;
      ~Effect() { delete comb; }
      float tick(float x) { return comb->tick(x); }
    };
    static float tick(Effect *e, float x) { return e->tick(x); }
    OUTBOARD_TICK(Effect, 2, 0, outboard_none, outboard_none, tick)
    """

  @Test func `a port that reads uninitialised memory is used with a note, and reads zeros`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(reverb, as: "comb.cpp"))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    let remarks = workshop.library.preflightRemarks
    let words = "comb reads uninitialised memory (on the heap), and crashes if "
    #expect(remarks.first?.hasPrefix(words) == true, "\(remarks)")
    // Memory like that of a program that has run for a while.
    var used = (1 ... 64).map { size in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size * 64, alignment: 16)
      memory.initializeMemory(as: UInt8.self, repeating: 0x7f, count: size * 64)
      return memory
    }
    used.forEach { $0.deallocate() }
    used = []
    let effect = try PortedEffect(workshop.library, plugin, [])
    let line = (0 ..< 400).map { Float($0) / 512 }
    #expect(effect.render([line, line], block: 100).allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  @Test func `memory that the host adds to compiled code does not count as its globals`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      #include <stdexcept>
      #include <vector>
      extern "C" void *create(double, unsigned) {
        try { return new std::vector<float>(100); } catch (const std::exception &) { return nullptr; }
      }
      extern "C" void destroy(void *s) { delete static_cast<std::vector<float> *>(s); }
      extern "C" void process(void *s, const float *const *in, float *const *out, const float *, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = out[1][i] = in[0][i];
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "vector.cpp"))
    #expect(!workshop.library.keepsGlobals(plugin))
  }

  @Test func `a note is recorded with the test result`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(reverb, as: "comb.cpp")
    let plugin = try workshop.library.find(path)
    _ = workshop.library.preflightError(of: plugin)
    let again = PluginLibrary(
      formats: workshop.library.formats, catalogue: workshop.library.catalogue)
    _ = again.preflightError(of: try again.find(path))
    #expect(again.preflightRemarks == workshop.library.preflightRemarks)
    #expect(again.preflightRemarks.count == 1)
  }

  @Test func `memory that a port never frees is measured`() throws {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #include <outboard/tick.h>
      typedef struct { float *memory; } Line;
      static void line_init(Line *l, double rate) { l->memory = calloc((size_t)rate, 4); }
      static float line_tick(Line *l, float x) { return l->memory[0] + x; }
      OUTBOARD_TICK(Line, 2, 0, line_init, outboard_none, line_tick)
      """
    let remarks = try remarks(source, as: "line.c")
    // Each of two channels has 192,000 bytes. The heap's own data are a few kB.
    #expect(remarks.first?.hasPrefix("line leaks 38") == true, "\(remarks)")
    #expect(remarks.first?.contains("OUTBOARD_RELEASE") == true)
    let released = source.replacing(
      "#include <outboard/tick.h>",
      with: "#define OUTBOARD_RELEASE(line) free((line)->memory)\n#include <outboard/tick.h>")
    #expect(try self.remarks(released, as: "line.c") == [])
  }

  /// Ordinary code of users, without any note.
  static let ordinary = [
    "static buffer": """
    static float line[48000];
    static int position;
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (unsigned i = 0; i < n; i++) {
        out[0][i] = out[1][i] = line[position];
        line[position] = in[0][i];
        position = (position + 1) % 48000;
      }
    }
    """,
    "random": """
    #include <stdlib.h>
    #include <time.h>
    void *create(double rate, unsigned longest) { srand(time(0)); return malloc(100); }
    void destroy(void *s) { free(s); }
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (unsigned i = 0; i < n; i++) out[0][i] = out[1][i] = rand() / (float)RAND_MAX - 0.5f;
    }
    """,
    "scratch": """
    #include <stdlib.h>
    #include <string.h>
    void *create(double rate, unsigned longest) { return malloc(longest * sizeof(float)); }
    void destroy(void *s) { free(s); }
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (int c = 0; c < 2; c++) {
        memcpy(s, in[c], n * sizeof(float));
        memcpy(out[c], s, n * sizeof(float));
      }
    }
    """,
  ]

  @Test(arguments: ordinary.keys.sorted())
  func `nothing is reported for ordinary code`(name: String) throws {
    #expect(try remarks(Self.ordinary[name] ?? "", as: "code.c") == [])
  }

  @Test func `code that loops or sleeps without end is refused and its process ended`()
    throws
  {
    for (fault, header) in [("for (;;) __asm__ volatile(\"\");", ""), ("for (;;) pause();", "")] {
      let workshop = try RigTestEnvironment()
      // A process that it has started ends with it, like a thread.
      let source = """
        #include <stdio.h>
        #include <unistd.h>
        \(header)
        void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
          int child = fork();
          if (child == 0) for (;;) pause();
          FILE *file = fopen("\(workshop.path)/child", "w");
          fprintf(file, "%d", child);
          fclose(file);
          \(fault)
        }
        """
      let plugin = try workshop.library.find(workshop.write(source, as: "endless.c"))
      let message = try #require(workshop.library.preflightError(of: plugin))
      #expect(message.hasPrefix("endless timed out after 2 s while it ran (in "), "\(message)")
      #expect(message.contains("endless.c:"), "\(message)")
      let text = try String(contentsOfFile: workshop.path + "/child", encoding: .utf8)
      let child = try #require(pid_t(text))
      // It may exist until init has read its status.
      let deadline = Deadline()
      while Self.isRunning(child) { try deadline.rest(0.001) }
    }
  }

  private static func isRunning(_ process: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return false }
    return !text[text.index(after: name)...].hasPrefix(" Z")
  }
}
