// ModuleFileExportTests.swift: audio files of a module and of its export. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import RenderGraph
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite struct ModuleFileExportTests {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: ["convolver", "sampler"]) }

  private static func configuration(isOffline: Bool = true) -> NodeConfiguration {
    NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 256, isOffline: isOffline)
  }

  private func pair(_ name: String = "convolver", isOffline: Bool = true) throws -> ExportedPair {
    try ExportedPair(workshop, name, Self.configuration(isOffline: isOffline))
  }

  /// A noise that decays, as a file in the workshop.
  private func sound(
    _ name: String, channels: Int = 2, rate: UInt32 = 48_000, frames: Int = 3_000, seed: UInt64 = 7
  ) throws -> String {
    var noise = Noise(seed: seed)
    let rows = (0 ..< channels).map { _ in
      noise.take(frames).enumerated().map { $1 * Float(frames - $0) / Float(frames) / 8 }
    }
    let path = "\(workshop.path)/\(name).wav"
    try FloatWave(channels: rows, sampleRateHz: rate).write(to: path)
    return path
  }

  private func properties(_ node: any Node) throws -> any PropertyNode {
    try #require(node as? any PropertyNode)
  }

  private func bits(_ rows: [[Float]]) -> [[UInt32]] { rows.map { $0.map(\.bitPattern) } }

  private func noise(_ frames: Int) -> [[Float]] {
    var noise = Noise(seed: 3)
    return (0 ..< 2).map { _ in noise.take(frames) }
  }

  // MARK: - Equal output

  @Test(arguments: [(1, 48_000), (2, 48_000), (4, 48_000), (2, 44_100), (1, 8_000), (2, 96_000)])
  func `a response at any rate gives the same samples`(channels: Int, rate: Int) throws {
    let file = try sound("room", channels: channels, rate: UInt32(rate))
    let same = try pair().agree(blocks: [1, 256, 77], start: [0: 80], file: file)
    #expect(same)
  }

  @Test func `an instrument plays the same sample, on the same keys`() throws {
    let file = try sound("hit", rate: 44_100, frames: 9_000)
    let same = try pair("sampler").agree(
      blocks: [256, 3], notes: [0: [0x90, 60, 100], 700: [0x90, 67, 90], 5_000: [0x80, 60, 0]],
      file: file)
    #expect(same)
  }

  @Test func `another file fades in as in this host`() throws {
    let files = [try sound("first"), try sound("second", rate: 44_100, seed: 8)]
    let (input, change) = (noise(12_800), 5_120)
    let pair = try pair()
    try properties(pair.native).setProperty(0, to: .path(files[0]))
    let swap = HotSwapNode(pair.native, Self.configuration())
    let plugin = try workshop.library.find("convolver")
    try swap.activate()
    let native = render(swap, input, frames: 12_800, blocks: [256]) { done in
      guard done == change else { return }
      do {
        let next = try workshop.library.makeNode(plugin, Self.configuration())
        try properties(next).setProperty(0, to: .path(files[1]))
        try next.activate()
        swap.replace(with: next)
      } catch {
        Issue.record(error)
      }
    }
    try properties(pair.exported).setProperty(0, to: .path(files[0]))
    try pair.exported.activate()
    let exported = render(pair.exported, input, frames: 12_800, blocks: [256]) { done in
      guard done == change else { return }
      #expect(throws: Never.self) {
        try properties(pair.exported).setProperty(0, to: .path(files[1]))
      }
    }
    let same = bits(native) == bits(exported)
    #expect(same)
    #expect(try properties(pair.exported).property(0) == .path(files[1]))
    swap.deactivate()
    pair.exported.deactivate()
  }

  // MARK: - States

  @Test(arguments: [false, true])
  func `a state contains its file, which is in use from the first frame`(isOffline: Bool) throws {
    let file = try sound("room")
    let first = try pair(isOffline: isOffline)
    try properties(first.native).setProperty(0, to: .path(file))
    try first.native.activate()
    let expected = render(first.native, noise(4_096), frames: 4_096, blocks: [256])
    try properties(first.exported).setProperty(0, to: .path(file))
    try first.exported.activate()
    let directory = try stateWithFile(of: first.exported, "room.wav")
    let second = try pair(isOffline: isOffline).exported
    try (second as? any DirectoryStateNode)?.restoreState(from: directory)
    try second.activate()
    let output = render(second, noise(4_096), frames: 4_096, blocks: [256])
    let same = bits(output) == bits(expected)
    #expect(same)
    guard case .path(let reported)? = try properties(second).property(0) else {
      Issue.record("the plugin has not told its file")
      return
    }
    #expect(FileManager.default.contentsEqual(atPath: reported, andPath: file))
    for node in [first.native, first.exported, second] { node.deactivate() }
  }

  /// Renders until the worker has loaded the file, so that it is saved with the state.
  private func stateWithFile(of node: any Node, _ name: String) throws -> String {
    let keeper = try #require(node as? any DirectoryStateNode)
    for turn in 0 ..< 2_000 {
      let directory = "\(workshop.path)/state-\(turn)"
      // Without the file there is nothing to save.
      if try keeper.saveState(to: directory),
        FileManager.default.fileExists(atPath: "\(directory)/\(name)")
      {
        return directory
      }
      _ = render(node, noise(256), frames: 256, blocks: [256])
      usleep(500)
    }
    Issue.record("the file was not loaded")
    return ""
  }

  @Test func `a state without a file removes the file`() throws {
    let (plain, other) = (try pair(), try pair())
    try plain.exported.activate()
    let expected = render(plain.exported, noise(4_096), frames: 4_096, blocks: [256])
    try workshop.write(
      """
      <state.ttl> a <http://lv2plug.in/ns/ext/presets#Preset> ;
        <http://lv2plug.in/ns/lv2core#appliesTo> <urn:outboard:module:outboard.convolver> ;
        <http://lv2plug.in/ns/ext/state#state> [ <urn:test:other> 1 ] .
      """, as: "none/manifest.ttl")
    try properties(other.exported).setProperty(0, to: .path(sound("room")))
    try other.exported.activate()
    other.exported.deactivate()
    try (other.exported as? any DirectoryStateNode)?
      .restoreState(from: workshop.path + "/none")
    try other.exported.activate()
    let output = render(other.exported, noise(4_096), frames: 4_096, blocks: [256])
    let same = bits(output) == bits(expected)
    #expect(same)
    for node in [plain.exported, other.exported] { node.deactivate() }
  }

  /// A module that counts frames, saves the count, and adds the first samples of two files.
  private static let counting = """
    // outboard: {inputs: 0, outputs: 1, files: [{symbol: a, name: A}, {symbol: b, name: B}]}
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    typedef struct { float count, first[2]; } counter;
    void *create(double rate, uint32_t most) { return calloc(1, sizeof(counter)); }
    void destroy(void *s) { free(s); }
    int load_file(void *s, uint32_t f, const float *const *c, uint32_t n, uint32_t l) {
      ((counter *)s)->first[f] = c[0][0];
      return 0;
    }
    uint32_t save(const void *s, void *b, uint32_t n) {
      if (n >= 4) memcpy(b, s, 4);
      return 4;
    }
    int restore(void *s, const void *b, uint32_t n) { memcpy(s, b, 4); return 0; }
    void process(void *s, const float *const *in, float *const *out, const float *p, uint32_t n) {
      counter *it = s;
      for (uint32_t i = 0; i < n; i++) out[0][i] = it->count++ + it->first[0] + it->first[1];
    }
    """

  @Test func `another file does not change the other files and the module's state`() throws {
    func level(_ value: Float) throws -> String {
      let path = "\(workshop.path)/\(value).wav"
      try FloatWave(channels: [[value]], sampleRateHz: 48_000).write(to: path)
      return path
    }
    let source = try workshop.write(Self.counting, as: "counting.c")
    let node = try pair(source).exported
    try properties(node).setProperty(0, to: .path(level(0.5)))
    try node.activate()
    #expect(render(node, frames: 256, blocks: [256])[0].last == 255.5)
    try properties(node).setProperty(1, to: .path(level(0.25)))
    #expect(render(node, frames: 4_096, blocks: [256])[0].last == 4_351.75)
    let directory = workshop.path + "/both"
    #expect(try (node as? any DirectoryStateNode)?.saveState(to: directory) == true)
    let other = try pair(source).exported
    try (other as? any DirectoryStateNode)?.restoreState(from: directory)
    try other.activate()
    #expect(render(other, frames: 1, blocks: [1])[0] == [4_352.75])
    for node in [node, other] { node.deactivate() }
  }

  // MARK: - Refused files

  /// A path that cannot be used, and the message about it.
  private func bad(_ what: String) throws -> String {
    switch what {
    case "text": return try workshop.write("no sound at all", as: "text.wav")
    case "folder": return workshop.path
    case "pipe":
      let path = workshop.path + "/pipe.wav"
      #expect(mkfifo(path, 0o600) == 0)
      return path
    case "empty": return try sound("empty", frames: 0)
    case "long": return try sound("long", rate: 1, frames: 601)
    case "slow": return try sound("slow", rate: 100)
    case "channels": return try sound("channels", channels: 3)
    default: return workshop.path + "/none.wav"
    }
  }

  @Test(arguments: [
    ("missing", "none.wav does not exist."), ("text", "text.wav is not a readable audio file"),
    ("folder", " is not a file."), ("pipe", "pipe.wav is not a file."),
    ("empty", "empty.wav contains no audio:"),
    ("long", "long.wav is longer than the limit of 600 s"),
    ("slow", "slow.wav has a rate of 100 Hz, which cannot be converted"),
    ("channels", "`load_file` rejected "),
  ])
  func `a file that cannot be loaded is reported, and the old one stays in use`(
    what: String, message: String
  ) throws {
    let (file, path) = (try sound("room"), try bad(what))
    let node = try pair().exported
    let lv2 = try #require(node as? LV2Node)
    let untouched = try pair().exported
    var outputs: [[[Float]]] = []
    for (node, isSpoilt) in [(node, true), (untouched, false)] {
      try properties(node).setProperty(0, to: .path(file))
      try node.activate()
      outputs.append(
        render(node, noise(4_096), frames: 4_096, blocks: [256]) { done in
          guard done == 2_048, isSpoilt else { return }
          #expect(throws: Never.self) { try properties(node).setProperty(0, to: .path(path)) }
        })
      #expect(try properties(node).property(0) == .path(file))
      node.deactivate()
    }
    let same = bits(outputs[0]) == bits(outputs[1])
    #expect(same)
    let messages = lv2.takeMessages()
    #expect(messages.count == 1)
    #expect(
      messages.allSatisfy { $0.level == "Error" && $0.text.contains(message) }, "\(messages)")
  }

  @Test func `after many quick changes the last file is in use`() throws {
    let files = try (0 ..< 3).map { try sound("room\($0)", frames: 300, seed: UInt64($0) + 1) }
    let node = try pair(isOffline: false).exported
    try node.activate()
    for turn in 0 ..< 300 {
      try properties(node).setProperty(0, to: .path(files[turn % 3]))
      _ = render(node, noise(256), frames: 256, blocks: [256])
    }
    try properties(node).setProperty(0, to: .path(sound("last")))
    let directory = try stateWithFile(of: node, "last.wav")
    let other = try pair().exported
    try (other as? any DirectoryStateNode)?.restoreState(from: directory)
    try other.activate()
    // As many blocks as needed: a fade waits for the worker, which has the whole time of a real block.
    var difference = Float.infinity
    for _ in 0 ..< 5_000 where difference >= 1e-5 {
      let outputs = [node, other].map { render($0, noise(2_048), frames: 2_048, blocks: [256]) }
      difference = zip(outputs[0].joined(), outputs[1].joined()).map { abs($0 - $1) }.max() ?? 1
      usleep(1_000)
    }
    #expect(difference < 1e-5)
    #expect(try #require(node as? LV2Node).takeMessages().isEmpty)
    for node in [node, other] { node.deactivate() }
  }
}
