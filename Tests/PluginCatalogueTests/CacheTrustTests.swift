// CacheTrustTests.swift: caches that another user could have written. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import PluginModel
import Testing

@testable import PluginCatalogue

@Suite struct `A cache of another user` {
  private static let nobody: uid_t = 65_534

  private func names(_ fixtures: CatalogueOfFixtures) -> [String] {
    fixtures.open().entries.map(\.identifier)
  }

  private func ignoresCache(_ spoil: (String) throws -> Void) throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let cache = fixtures.cacheDirectory + "/catalogue"
    let expected = names(fixtures)
    #expect(!expected.isEmpty)
    #expect(CacheFile.read(cache)?.count == 1)
    try spoil(fixtures.cacheDirectory)
    #expect(CacheFile.read(cache) == nil || CacheFile.read(cache)?.isEmpty == true)
    #expect(names(fixtures) == expected)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `is ignored and written again`() throws {
    try ignoresCache { directory in
      #expect(chown(directory + "/catalogue", Self.nobody, Self.nobody) == 0)
    }
    let fixtures = try CatalogueOfFixtures(["witness"])
    _ = names(fixtures)
    let cache = fixtures.cacheDirectory + "/catalogue"
    #expect(chown(cache, Self.nobody, Self.nobody) == 0)
    _ = names(fixtures)
    var status = stat()
    #expect(stat(cache, &status) == 0 && status.st_uid == geteuid())
    #expect(CacheFile.read(cache)?.count == 1)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory to another user"))
  func `is neither read nor written in a directory of that user`() throws {
    try ignoresCache { directory in #expect(chown(directory, Self.nobody, Self.nobody) == 0) }
    let fixtures = try CatalogueOfFixtures(["witness"])
    #expect(mkdir(fixtures.cacheDirectory, 0o755) == 0)
    #expect(chown(fixtures.cacheDirectory, Self.nobody, Self.nobody) == 0)
    #expect(!names(fixtures).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixtures.cacheDirectory).isEmpty)
  }

  @Test(arguments: [0o620, 0o602, 0o666] as [mode_t])
  func `a cache file that others can write to is ignored`(mode: mode_t) throws {
    try ignoresCache { directory in #expect(chmod(directory + "/catalogue", mode) == 0) }
  }

  @Test(arguments: [0o720, 0o702, 0o777] as [mode_t])
  func `a cache directory that others can write to is ignored`(mode: mode_t) throws {
    try ignoresCache { directory in #expect(chmod(directory, mode) == 0) }
  }

  @Test func `a link is ignored`() throws {
    try ignoresCache { directory in
      #expect(rename(directory + "/catalogue", directory + "/elsewhere") == 0)
      #expect(symlink("elsewhere", directory + "/catalogue") == 0)
    }
  }

  @Test func `a pipe is ignored, and not waited for`() throws {
    try ignoresCache { directory in
      #expect(unlink(directory + "/catalogue") == 0)
      #expect(mkfifo(directory + "/catalogue", 0o600) == 0)
    }
  }

  @Test func `a file of root or of the user is trusted`() {
    var facts = stat()
    facts.st_mode = S_IFREG | 0o600
    for (owner, isSafe) in [(0, true), (1_000, true), (1_001, false)] as [(uid_t, Bool)] {
      facts.st_uid = owner
      #expect(CacheTrust.isSafe(facts, user: 1_000) == isSafe)
    }
  }

  @Test func `a link in place of the temporary file is not followed`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let target = fixtures.directory.path + "/precious"
    try "precious".write(toFile: target, atomically: true, encoding: .utf8)
    #expect(mkdir(fixtures.cacheDirectory, 0o700) == 0)
    for number in 0 ..< 2_000 {
      symlink(target, "\(fixtures.cacheDirectory)/catalogue.\(getpid()).\(number)")
    }
    #expect(!names(fixtures).isEmpty)
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
  }
}
