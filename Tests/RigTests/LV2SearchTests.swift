// LV2SearchTests.swift: tests of LV2Search.swift. SPDX-License-Identifier: MIT

import Foundation
import LV2Host
import PluginCatalogue
import Testing

@Suite struct `Search for LV2 bundles` {
  /// The reply of every directory except a few.
  private static func content(_ directory: String, identity: UInt64) -> LV2Directories.Content {
    var content = LV2Directories.Content()
    content.bundles = [directory + "/a.lv2"]
    content.identity = [1, identity]
    return content
  }

  @Test func `a directory that hangs is skipped, and the others are searched`() {
    let gate = DispatchSemaphore(value: 0)
    let list = LV2Search.units(ofPath: "/dead:/alive", home: "/", timeoutSeconds: 0.1) {
      directory, _ in
      if directory == "/dead" { gate.wait() }
      return Self.content(directory, identity: 1)
    }
    #expect(list.paths == ["/alive/a.lv2"])
    #expect(
      list.faults.map(\.message) == ["/dead was skipped: it did not respond within 0 s."])
    gate.signal()
  }

  @Test func `a directory with two names is searched once`() {
    let list = LV2Search.units(ofPath: "/one:/two:/other", home: "/") { directory, _ in
      Self.content(directory, identity: directory == "/other" ? 2 : 1)
    }
    #expect(list.paths == ["/one/a.lv2", "/other/a.lv2"])
  }

  @Test func `a path without a directory is reported`() {
    let list = LV2Search.units(ofPath: "", home: "/")
    #expect(list.paths.isEmpty)
    #expect(
      list.faults.map(\.message) == [
        "LV2_PATH names no directory, so no LV2 plugin is found. Unset it to search"
          + " \(LV2Directories.defaultPath)."
      ])
  }
}
