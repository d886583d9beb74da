// SourceRaceTests.swift: sources that are saved while they are compiled. SPDX-License-Identifier: MIT

import Foundation
import RigTestSupport
import TestWaits
import Testing

@testable import PluginLoading

@Suite struct SourceRaceTests {
  /// Outputs a number on both channels if its parameter has that value, otherwise -1.
  private func source(_ number: Int, _ comment: String) -> String {
    """
    // outboard:
    //   inputs: 2
    //   outputs: 2
    //   parameters: [{symbol: a, name: A, minimum: 0, default: \(number), maximum: 9}]

    // \(comment)
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (int c = 0; c < 2; c++)
        for (unsigned i = 0; i < n; i++) out[c][i] = p[0] == \(number) ? \(number) : -1;
    }
    """
  }

  @Test(arguments: [0, 0.5, 1, 1.5, 2, 3, 4, 6, 10, 30])
  func `a source saved during a build is not described as its old version`(
    milliseconds: Double
  ) throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(source(1, "\(milliseconds)"), as: "race.c")
    let (directory, next) = (workshop.path, source(2, "\(milliseconds)"))
    let saved = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: milliseconds / 1_000)
      try? next.write(toFile: "\(directory)/race.c", atomically: true, encoding: .utf8)
      saved.signal()
    }
    let plugin = try workshop.library.find(path)
    saved.waitOrTrap()
    let captured = try output(of: plugin, workshop.library)
    #expect(captured == [1, 1] || captured == [2, 2])
  }
}
