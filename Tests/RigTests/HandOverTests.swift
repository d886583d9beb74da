// HandOverTests.swift: state transfer between versions of a module. SPDX-License-Identifier: MIT

import ModuleBuild
import PluginCatalogue
import RigTestSupport
import Testing

@testable import PluginLoading
@testable import SourceModules

@Suite struct HandOverTests {
  /// A module whose `restore` runs given code first.
  private func source(_ restore: String) -> String {
    """
    #include <stdlib.h>
    #include <string.h>
    void *create(double rate, unsigned longest) { return calloc(1, sizeof(float)); }
    void destroy(void *state) { free(state); }
    unsigned save(const void *state, void *bytes, unsigned capacity) {
      if (capacity >= sizeof(float)) memcpy(bytes, state, sizeof(float));
      return sizeof(float);
    }
    int restore(void *state, const void *bytes, unsigned count) {
      \(restore)
      memcpy(state, bytes, sizeof(float));
      return 0;
    }
    void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (unsigned i = 0; i < n; i++) out[0][i] = in[0][i];
      *(float *)state = 1;
    }
    """
  }

  @Test(
    arguments: [
      ("", true), ("if (count != 12) return 1;", true), ("abort();", false),
      // Bytes of the other struct are used as an address.
      ("if (*(const float *)bytes == 1) *(volatile int *)16 = 1;", false),
    ])
  func `a module that would crash with the old module's state is refused`(
    restore: String, isGood: Bool
  ) throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(source("return 1;"), as: "keeps.c")
    let module = try SourceModule(
      path, cache: workshop.path + "/cache", child: workshop.library.catalogue.child)
    let before = try module.build()
    try workshop.write(source(restore) + "// new", as: "keeps.c")
    let after = try module.build()
    #expect(after.built != before.built)
    let refusal = module.stateTransferError(of: after, from: before.built, at: .standard)
    #expect((refusal == nil) == isGood, "\(refusal ?? "")")
    #expect(isGood || refusal?.hasPrefix("keeps crashed or hung in `restore`") == true)
  }

  @Test func `a module without state is handed over without a test`() throws {
    let workshop = try RigTestEnvironment()
    let plain = "void process(void *s, const float **i, float **o, const float *p, unsigned n) {}"
    let path = try workshop.write(plain, as: "plain.c")
    // Any use of this helper process would fail, because it cannot be started.
    let module = try SourceModule(
      path, cache: workshop.path + "/cache",
      child: ChildCommand(executable: "/nowhere", arguments: []))
    let product = try module.build()
    #expect(module.stateTransferError(of: product, from: product.built, at: .standard) == nil)
  }
}
