// DiscoveryFaultTests.swift: `outboard list` with broken bundles and directories. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Broken bundles and directories` {
  @Test func `each fault is a line of list --unusable, and other plugins are listed`() throws {
    let deadly = ["dynamic_manifest_aborts", "dynamic_manifest_eats_memory"]
    let bundles = try BundleDirectory(
      deadly + [
        "broken_turtle", "duplicate_first", "duplicate_second", "missing_library", "witness",
      ])
    try FileManager.default.createDirectory(
      atPath: bundles.bundle("no_manifest"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: bundles.bundle("pipe"), withIntermediateDirectories: true)
    try #require(mkfifo(bundles.bundle("pipe") + "/manifest.ttl", 0o600) == 0)
    // The directory twice, a missing one, and empty parts.
    let scratch = try TemporaryDirectory(lv2: ":\(bundles.path)::\(bundles.path)/:/nowhere/at/all:")
    let lines = try expectSuccess(["list", "--unusable"], in: scratch).text.split(separator: "\n")
    let messages =
      try deadly.map { try bundles.expectation($0) } + [
        "Skipped \(bundles.bundle("no_manifest")): it has no manifest.ttl.",
        "Skipped \(bundles.bundle("pipe")): it has a manifest.ttl that is not a file.",
        "Skipped /nowhere/at/all: it cannot be opened (No such file or directory).",
        "<urn:outboard:test:duplicate> is installed twice. Using \(bundles.bundle("duplicate_second")),"
          + " ignoring \(bundles.bundle("duplicate_first")).",
        "urn:outboard:test:missing_library: \(try bundles.expectation("missing_library"))",
      ]
    for message in messages {
      #expect(lines.contains { $0 == message }, "\(message)\nis not in\n\(lines)")
    }
    let broken =
      "urn:outboard:test:broken_turtle: Broken turtle cannot be hosted: syntax error in"
      + " plugin.ttl, line 12 ("
    #expect(lines.contains { $0.hasPrefix(broken) })
    #expect(lines.count == messages.count + 1)
    let list = try Program.run(["list", "--kind", "lv2"], in: scratch)
    #expect(list.status == 0)
    #expect(list.text.contains("urn:outboard:test:witness"))
  }

  @Test func `a plugin whose bundle could not be read is reported with the bundle`() throws {
    let bundles = try BundleDirectory(["dynamic_manifest_aborts", "witness"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    try scratch.addTone()
    let directory = bundles.bundle("dynamic_manifest_aborts")
    let listed = try Program.run(["list", "--unusable"], in: scratch).text
    #expect(listed.contains("dynamic_manifest_aborts"), "\(listed)")
    let named = try Program.run(
      ["render", "dynamic_manifest_aborts", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(named.status == 2)
    #expect(
      named.error.contains("dynamic_manifest_aborts.lv2")
        && named.error.contains(
          "may contain it but could not be read. Run `outboard list --unusable` for the reason."),
      "\(named.error) \(directory)")
    let other = try Program.run(
      ["render", "xyzzyxyzzy", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(
      other.error
        == "outboard: No such plugin: \"xyzzyxyzzy\". Run `outboard list` to see all plugins."
        + " 1 bundle could not be read; run `outboard list --unusable` for the reasons.\n"
    )
  }

  @Test func `a directory that hangs is skipped, and the others are listed`() throws {
    let bundles = try BundleDirectory(["witness"])
    let scratch = try TemporaryDirectory(lv2: "/dead/network:\(bundles.path)")
    // Replaces a function of the C library, and hangs in that directory.
    try scratch.write(
      """
      #define _GNU_SOURCE
      #include <dirent.h>
      #include <dlfcn.h>
      #include <string.h>
      #include <unistd.h>
      DIR *opendir(const char *path) {
        if (strcmp(path, "/dead/network") == 0) for (;;) pause();
        return ((DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir"))(path);
      }
      """, to: "dead.c")
    try #require(
      try Tool.run(
        "/usr/bin/cc",
        ["-shared", "-fPIC", "-o", scratch.path("dead.so"), scratch.path("dead.c"), "-ldl"]) == 0)
    let environment = ["LD_PRELOAD": scratch.path("dead.so")]
    let why = try Program.run(["list", "--unusable"], in: scratch, environment: environment)
    #expect(why.status == 0)
    #expect(why.text == "/dead/network was skipped: it did not respond within 5 s.\n")
    let list = try Program.run(
      ["list", "--kind", "lv2"], in: scratch, environment: environment)
    #expect(list.status == 0)
    #expect(list.text.contains("urn:outboard:test:witness"))
  }
}
