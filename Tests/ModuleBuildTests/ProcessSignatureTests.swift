// ProcessSignatureTests.swift: `process` functions with wrong signatures. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ModuleBuild

@Suite struct ProcessSignatureTests {
  private func fault(_ text: String, as name: String = "a.c") throws -> ProcessSignature? {
    try check(text, as: name) { ProcessSignature($0, $0.texts) }
  }

  /// Writes a source and returns the result of a check.
  private func check<Result>(
    _ text: String, as name: String, _ body: (ModuleSource) -> Result
  ) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.path + "/outboard-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    return try body(ModuleSource(path: "\(directory)/\(name)"))
  }

  @Test(arguments: [
    "void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {}",
    "void process(Echo *echo, float **in, float **out, float *p, int n) {}",
    "void process(void *s, const float *in[], float *out[], const float p[], uint32_t n) {}",
    "void process(S s, sample in, sample out, P p, N n) {}",
    "void process(float *in, float *out);",
    "static void process(float *in, float *out, int n) {}",
    "static inline void process(float *in) {} void f(void) { process(0); }",
    "#define RUN void process(x)", "int f(float x) { if (process(x)) { return process(x); } }",
    "int process(void *s, float **in, float **out, float *p, int n) { return 0; }",
    "static float process(float x) { return x; }",
  ])
  func `a signature that may be right is accepted`(text: String) throws {
    #expect(try fault(text) == nil)
  }

  @Test(arguments: [
    ("\nvoid process(float *in, float *out, int n) {}", 2, "has 3 arguments instead of 5"),
    ("float process(float x) { return 0.5f * x; }", 1, "has 1 argument instead of 5"),
    ("static float a; double process(double x) { return x; }", 1, "has 1 argument instead of 5"),
    ("void process(void) {}", 1, "has 0 arguments instead of 5"),
    (
      "void process(void *s, double **in, double **out, double *p, unsigned n) {}", 1,
      "has doubles as its second argument instead of floats"
    ),
    (
      "void process(void *s, const float *in, float *out, const float *p, unsigned n) {}", 1,
      "has a pointer as its second argument instead of pointers to each channel"
    ),
    (
      "void process(void *s, float **in, float **out, int n, float *p) {}", 1,
      "has a number as its fourth argument instead of a pointer"
    ),
  ])
  func `a wrong signature is reported`(text: String, line: Int, words: String) throws {
    let found = try fault(text)
    #expect(found?.line == line)
    #expect(found?.fault == words)
  }

  @Test func `in C++ only functions with a C name are checked`() throws {
    let wrong = "void process(float *in) {}"
    #expect(try fault("struct A { \(wrong) };", as: "a.cpp") == nil)
    #expect(try fault("namespace a { \(wrong) }", as: "a.cpp") == nil)
    #expect(try fault("extern \"C\" \(wrong)", as: "a.cpp") != nil)
    #expect(try fault("extern \"C\" { int f() { return 0; } \(wrong) }", as: "a.cpp") != nil)
    #expect(try fault("extern \"C\" { struct A { \(wrong) }; }", as: "a.cpp") == nil)
  }

  @Test func `in Swift only exported functions are checked`() throws {
    let wrong = "func process(_ state: UnsafeMutableRawPointer?, _ count: UInt32) {}"
    #expect(try fault("@c public \(wrong)", as: "a.swift")?.fault == "has 2 arguments instead of 5")
    #expect(try fault("struct A { mutating \(wrong) }", as: "a.swift") == nil)
  }

  private static let arguments = "(void *s, float **in, float **out, float *p, unsigned n) {}"
  private static let inSwift =
    "(_ s: UnsafeMutableRawPointer?, _ i: P, _ o: P, _ p: UnsafePointer<Float>, _ n: UInt32) {}"

  @Test(arguments: [
    (
      "a.c", "\nstatic void process\(arguments)",
      ":2: `process` is not exported as `process`. Remove `static`."
    ),
    (
      "a.c", "void Process\(arguments)",
      ":1: `Process` is not exported as `process`. Rename it to `process`."
    ),
    (
      "a.c", "static inline void PROCESS\(arguments)",
      ":1: `PROCESS` is not exported as `process`. Rename it to `process` and remove `static` and remove `inline`."
    ),
    (
      "a.cpp", "static void process\(arguments)",
      ":1: `process` is not exported as `process`. Remove `static` and declare it as extern \"C\"."
    ),
    (
      "a.cpp", "extern \"C\" { void Process\(arguments) }",
      ":1: `Process` is not exported as `process`. Rename it to `process`."
    ),
    (
      "a.swift", "public func process\(inSwift)",
      ":1: `process` is not exported as `process`. Write `@c` before `func`."
    ),
  ])
  func `a function that is almost the exported one is named`(
    file: String, text: String, words: String
  ) throws {
    let hint = try check(text, as: file) { $0.almostProcessHint }
    #expect(hint?.hasSuffix(file + words) == true, "\(hint ?? "none")")
  }

  @Test(arguments: [
    ("a.c", "void process\(arguments)"), ("a.c", "static float process(float x) { return x; }"),
    ("a.c", "void Process(float *in, float *out, int n) {}"),
    ("a.cpp", "struct A { void Process\(arguments) };"), ("a.cpp", "void A::Process\(arguments)"),
    ("a.c", "#define Process\(arguments)"), ("a.swift", "struct A { func process\(inSwift) }"),
    ("a.swift", "@c public func process\(inSwift)"),
  ])
  func `other functions are not taken for it`(file: String, text: String) throws {
    #expect(try check(text, as: file) { $0.almostProcessHint } == nil)
  }
}
