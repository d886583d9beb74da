// LV2PropertyTests.swift: tests of LV2Properties.swift, LV2Patch.swift and LV2Forge.swift. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import RenderGraph
import Testing

@Suite struct `LV2 properties` {
  private static let uri = "urn:outboard:test:properties"

  private func withProperties(_ body: (EngineFixture) throws -> Void) throws {
    let directory = try BundleDirectory(["properties"])
    let plugin = try LV2Scanner.plugin(Self.uri, inBundle: directory.bundle("properties"))
    let transport = Transport(sampleRateHz: 48_000)
    let notes = (0 ..< 200).map { ScheduledEvent(frame: 5 + $0 * 3, bytes: [0x90, 60, 1]) }
    try body(EngineFixture(plugin, notes, transport: transport))
    withExtendedLifetime(directory) {}
  }

  private func place(_ symbol: String, _ node: LV2Node) throws -> Int {
    try #require(node.description.properties.firstIndex { $0.symbol == symbol })
  }

  // MARK: - Declarations

  @Test func `every fact of a property is read from the data`() throws {
    let directory = try BundleDirectory(["properties"])
    let plugin = try LV2Scanner.plugin(Self.uri, inBundle: directory.bundle("properties"))
    let properties = plugin.description.properties
    #expect(
      properties.map(\.symbol) == [
        "count", "curve", "file", "flag", "flood", "gain", "length", "link", "ratio", "told",
        "vague", "words",
      ])
    let types = Dictionary(uniqueKeysWithValues: properties.map { ($0.symbol, $0.type) })
    #expect(
      types == [
        "count": .int, "curve": .vector, "file": .path, "flag": .bool, "flood": .int,
        "gain": .float, "length": .long, "link": .uri, "ratio": .double, "told": .int,
        "vague": .undeclared, "words": .string,
      ])
    var count = Property(uri: Self.uri + "#count", name: "Count", type: .int)
    count.summary = "How many there are."
    count.minimum = -10
    count.defaultValue = .int(3)
    count.maximum = 10
    count.choices = [.init(value: .int(0), name: "None"), .init(value: .int(10), name: "Many")]
    count.isWritable = true
    count.isReadable = true
    #expect(properties[0] == count)
    #expect(properties[1].elementType == .double)
    #expect(properties[3].defaultValue == .bool(true))
    #expect(properties[5].unit == "dB")
    #expect(properties[5].maximum == 12.5)
    #expect(properties[9].isReadable && !properties[9].isWritable)
    #expect(properties[11].name == "Some words")
    withExtendedLifetime(directory) {}
  }

  // MARK: - There and back

  private static let values: [(String, PropertyValue)] = [
    ("flag", .bool(false)), ("count", .int(-7)), ("length", .long(1 << 40)), ("gain", .float(-3.5)),
    ("ratio", .double(0.1)), ("words", .string("zwölf Wörter")), ("file", .path("/etc/hostname")),
    ("link", .uri("urn:x")), ("curve", .vector([.double(1), .double(-0.5), .double(0.1)])),
    ("curve", .vector([])), ("words", .string("")),
  ]

  @Test(arguments: values.indices)
  func `a value of every type arrives and is reported back`(index: Int) throws {
    let (symbol, value) = Self.values[index]
    try withProperties { stage in
      let place = try place(symbol, stage.node)
      try stage.node.setProperty(place, to: value)
      #expect(stage.node.property(place) == value)
      stage.render(512)
      #expect(stage.node.readout(1) == 1)
      // An activation requests all values again: the known values are then those of the plugin.
      stage.node.deactivate()
      try stage.node.activate()
      #expect(stage.node.property(place) == value)
      let reported = try self.place("told", stage.node)
      #expect(stage.node.takePropertyChanges() == [reported])
      #expect(stage.node.readout(0) == 0)
    }
  }

  @Test func `a value set before activation is in effect at the first frame`() throws {
    let directory = try BundleDirectory(["properties"])
    let plugin = try LV2Scanner.plugin(Self.uri, inBundle: directory.bundle("properties"))
    let node = try LV2Node(
      plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true))
    try node.setProperty(try place("count", node), to: .int(4))
    #expect(node.readout(1) == 0)
    try node.activate()
    #expect(node.readout(1) == 1)
    let (reported, ratio) = (try place("told", node), try place("ratio", node))
    #expect(node.property(reported) == .int(0))
    #expect(node.property(ratio) == nil)
    withExtendedLifetime(directory) {}
  }

  @Test(arguments: [1, 64, 512])
  func `property messages come before the notes of their block, only at the designated port`(
    block: Int
  ) throws {
    try withProperties { stage in
      let gain = try place("gain", stage.node)
      for turn in 0 ..< 20 {
        try stage.node.setProperty(gain, to: .float(Float(turn)))
        stage.render(block, blocks: [block])
      }
      #expect(stage.node.readout(0) == 0)
      #expect(stage.node.readout(1) == 20)
    }
  }

  @Test func `changes by the plugin are received, and the last one counts`() throws {
    try withProperties { stage in
      let (flood, reported) = (try place("flood", stage.node), try place("told", stage.node))
      _ = stage.node.takePropertyChanges()
      try stage.node.setProperty(flood, to: .int(3))
      stage.render(512)
      #expect(stage.node.takePropertyChanges() == [reported])
      #expect(stage.node.property(reported) == .int(3))
      #expect(stage.node.takePropertyChanges() == [])
    }
  }

  @Test func `after an overflow of reports the values are requested again`() throws {
    try withProperties { stage in
      let (flood, reported) = (try place("flood", stage.node), try place("told", stage.node))
      try stage.node.setProperty(flood, to: .int(200))
      // About 70 bytes each: no ring without a reader has room for 40 000.
      for _ in 0 ..< 200 { stage.render(64, blocks: [64]) }
      try stage.node.setProperty(flood, to: .int(0))
      stage.render(64, blocks: [64])
      _ = stage.node.takePropertyChanges()
      stage.render(64, blocks: [64])
      #expect(stage.node.property(reported) == .int(200 * 200))
    }
  }

  // MARK: - Refusals

  @Test func `a value of a wrong type is refused with a message`() throws {
    try withProperties { stage in
      func refusal(_ symbol: String, _ value: PropertyValue) throws -> String {
        let place = try place(symbol, stage.node)
        do {
          try stage.node.setProperty(place, to: value)
          return "taken"
        } catch {
          return "\(error)"
        }
      }
      let cases: [(String, PropertyValue, String)] = [
        ("told", .int(1), "Told is read-only: the plugin sets it."),
        ("gain", .double(1), "Gain takes a value of type float but received another type."),
        (
          "curve", .vector([.float(1)]),
          "Curve takes a value of type vector but received another type."
        ),
        (
          "vague", .int(1),
          "Vague cannot be set: the plugin's data do not declare its type."
        ),
        (
          "words", .string("a\0b"),
          "Some words cannot contain a zero byte. Remove the zero byte."
        ),
      ]
      for (symbol, value, message) in cases {
        let statement = try refusal(symbol, value)
        #expect(statement == message)
      }
      stage.render(64)
      #expect(stage.node.readout(1) == 0)
    }
  }

  @Test func `the longest text that fits arrives, and one byte more is refused`() throws {
    try withProperties { stage in
      let words = try place("words", stage.node)
      // 32 KiB minus the sequence, the frame, a position with its frame, and the reserve for note-offs.
      let room = 32_768 - 16 - 8 - 240 - 4_096
      // The headers of two objects, two keys, the property's URID and the text's header, then the text and a zero byte.
      let longest = room - 16 - 32 - 8 - 8 - 7 - 1
      var length = longest + 64
      var refused = 0
      while length > longest - 64 {
        let text = String(repeating: "x", count: length)
        do {
          try stage.node.setProperty(words, to: .string(text))
          break
        } catch {
          refused += 1
          #expect("\(error)".hasPrefix("Some words has "))
        }
        length -= 1
      }
      #expect(refused > 0)
      stage.render(512)
      #expect(stage.node.readout(1) == 1)
      #expect(stage.node.readout(0) == 0)
      #expect(length > 28_000)
    }
  }

  @Test func `messages beyond the queue's capacity are refused, and accepted later`() throws {
    try withProperties { stage in
      let words = try place("words", stage.node)
      let text = PropertyValue.string(String(repeating: "y", count: 20_000))
      var sent = 0
      #expect(throws: PropertyError.noRoom(name: "Some words")) {
        for _ in 0 ..< 100 {
          try stage.node.setProperty(words, to: text)
          sent += 1
        }
      }
      #expect(sent >= 2)
      // Each fills most of a port, so each needs a separate block.
      for _ in 0 ..< sent { stage.render(64, blocks: [64]) }
      #expect(stage.node.readout(1) == Float(sent))
      try stage.node.setProperty(words, to: text)
    }
  }

  // MARK: - A plugin of others

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/lib/lv2/eg-params.lv2/params.so")),
    arguments: [
      ("int", PropertyValue.int(-3)), ("long", .long(-1 << 33)), ("float", .float(0.5)),
      ("double", .double(1e-9)), ("bool", .bool(true)), ("string", .string("Grüße")),
      ("path", .path("/etc/hostname")), ("spring", .float(1)),
    ])
  func `the example plugin of the specification sets and reports every type`(
    symbol: String, value: PropertyValue
  ) throws {
    let plugin = try LV2Scanner.plugin(
      "http://lv2plug.in/plugins/eg-params", inBundle: "/usr/lib/lv2/eg-params.lv2")
    #expect(
      plugin.description.properties.map(\.symbol) == [
        "bool", "double", "float", "int", "lfo", "long", "path", "spring", "string",
      ])
    let node = try LV2Node(
      plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true))
    let place = try place(symbol, node)
    try node.activate()
    let int = try self.place("int", node)
    #expect(node.property(int) != nil)
    try node.setProperty(place, to: value)
    let player = Player(node)
    _ = player.play(64) { _, _ in 0 }
    // The trigger is reset automatically after the block in which it was set.
    if symbol == "spring" {
      for _ in 0 ..< 20 { _ = player.play(64) { _, _ in 0 } }
      guard case .float(let left) = node.property(place) else {
        Issue.record("nothing was told")
        return
      }
      #expect(left > 0 && left < 1)
      return
    }
    node.deactivate()
    try node.activate()
    #expect(node.property(place) == value)
  }
}
