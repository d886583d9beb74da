// ChildMessageTests.swift: encoding of reports of a helper process. SPDX-License-Identifier: MIT

import LV2Fixtures
import Testing

@testable import PluginCatalogue

@Suite struct ChildMessageTests {
  /// One message of each kind.
  ///
  /// The compiler reports a kind that is added and missing here.
  private func sample(after report: ChildResponse?) throws -> ChildResponse? {
    switch report {
    case nil:
      let fixtures = try CatalogueOfFixtures(["chatter"])
      let catalogue = fixtures.open()
      let entry = try #require(catalogue.entries.first)
      return .found(ScannedPlugin(try #require(catalogue.description(of: entry)), rank: 7))
    case .found: return .stage(.activate)
    case .stage: return .traits([.generatesAudio])
    case .traits: return .done(message: "It declined.")
    case .done: return .remark(message: "It leaks.")
    case .remark: return .sign
    case .sign: return .crash(CrashReport(signal: 11, lines: ["late.so+0x7", "/late.so", "7"]))
    case .crash: return .preset(PresetName(plugin: "urn:x", name: "Große Halle"))
    case .preset: return nil
    }
  }

  @Test func `each kind of report survives encoding`() throws {
    var last: ChildResponse?
    var count = 0
    while let report = try sample(after: last) {
      let arrived = try report.record.withUnsafeBytes { bytes in
        var reader = BinaryDecoder(bytes)
        return try ChildResponse(&reader)
      }
      #expect("\(arrived)" == "\(report)")
      (last, count) = (report, count + 1)
    }
    #expect(count == 8)
  }
}
