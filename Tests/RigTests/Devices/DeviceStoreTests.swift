// DeviceStoreTests.swift: stored device settings, and the other lines of the file. SPDX-License-Identifier: MIT

import DeviceSettings
import Foundation
import Manifests
import Testing

private func entry(
  _ card: String, _ rate: Int = 48_000, _ period: Int = 64, _ periods: Int = 2,
  name: String = "USB-Audio - Scarlett 2i2"
) -> StoredDevice {
  StoredDevice(
    key: StoredDevice.Key(card: card, name: name, sampleRateHz: rate), periodFrames: period,
    periodCount: periods)
}

/// A store in a separate directory.
private final class Place {
  let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  var file: String { directory + "/outboard/devices.yaml" }
  var store: DeviceStore { DeviceStore(file: file) }

  init(_ text: String? = nil) throws {
    guard let text else { return }
    try FileManager.default.createDirectory(
      atPath: directory + "/outboard", withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: false, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var text: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

  func message(_ action: (DeviceStore) throws -> Void) -> String {
    let error = #expect(throws: ManifestError.self) { try action(store) }
    return (error?.description ?? "").replacingOccurrences(of: directory + "/", with: "")
  }
}

@Suite struct DeviceStoreTests {
  @Test func `without a file nothing is stored and nothing can be deleted`() throws {
    let place = try Place()
    #expect(try place.store.devices() == [])
    #expect(try !place.store.remove(entry("USB").key))
    #expect(!FileManager.default.fileExists(atPath: place.directory))
  }

  @Test func `the first entry creates the file, and can be read back`() throws {
    let place = try Place()
    let device = entry("USB", 96_000, 128, 3)
    try place.store.store(device)
    #expect(try place.store.devices() == [device])
    #expect(
      place.text == """
        # The smallest stable periods of sound cards, saved by `outboard find-period --save`.
        outboard-devices: 1
        devices:
          - card: "USB"
            name: "USB-Audio - Scarlett 2i2"
            rate: 96000
            period: 128
            periods: 3

        """)
  }

  @Test func `cards and rates have separate entries`() throws {
    let place = try Place()
    let devices = [
      entry("USB"), entry("USB", 44_100), entry("PCH", name: "HDA"), entry("x", name: ""),
    ]
    for device in devices { try place.store.store(device) }
    #expect(try place.store.devices() == devices)
    try place.store.store(entry("USB", 44_100, 256, 4))
    #expect(
      try place.store.devices() == [devices[0], entry("USB", 44_100, 256, 4)] + devices[2...])
  }

  @Test(arguments: ["a\"b\\c", "Ünïcode: - #1", "'quoted'", "true", "007"])
  func `any name of a card can be stored`(name: String) throws {
    let place = try Place()
    try place.store.store(entry(name, name: name))
    #expect(try place.store.devices() == [entry(name, name: name)])
  }

  private static let edited = """
    # mine
    outboard-devices: 1
    devices:
    # the old one
    - card: PCH   # built in
      rate: 48000
      period: 1024  # safe
      periods: 2
    # the new one
    - {card: USB, rate: 48000, period: 64, periods: 3}
    # the end

    """

  @Test func `comments and layout of the user survive a change`() throws {
    let place = try Place(Self.edited)
    try place.store.store(entry("PCH", 48_000, 256, 3, name: ""))
    try place.store.store(entry("USB", 48_000, 32, 2, name: ""))
    #expect(
      place.text
        == Self.edited.replacing("1024  # safe\n  periods: 2", with: "256  # safe\n  periods: 3")
        .replacing("period: 64, periods: 3", with: "period: 32, periods: 2"))
    try place.store.store(entry("Third"))
    #expect(place.text.contains("\n- card: \"Third\"\n") && place.text.hasSuffix("# the end\n"))
  }

  @Test func `forgetting removes only the lines of the entry`() throws {
    let place = try Place(Self.edited)
    #expect(try place.store.remove(entry("USB", name: "").key))
    #expect(
      place.text
        == Self.edited.replacing("- {card: USB, rate: 48000, period: 64, periods: 3}\n", with: ""))
    #expect(try place.store.remove(entry("PCH", name: "").key))
    #expect(try place.store.devices() == [])
    try place.store.store(entry("USB"))
    #expect(try place.store.devices() == [entry("USB")])
  }

  @Test(arguments: [
    "", "# nothing yet\n", "outboard-devices: 1\n", "outboard-devices: 1\ndevices: []\n",
  ])
  func `a file without entries accepts the first one`(text: String) throws {
    let place = try Place(text)
    #expect(try place.store.devices() == [])
    try place.store.store(entry("USB"))
    #expect(try place.store.devices() == [entry("USB")])
  }

  @Test func `a file that cannot be changed by lines is not changed`() throws {
    let text = "{outboard-devices: 1, devices: [{card: A, rate: 48000, period: 64, periods: 2}]}\n"
    let place = try Place(text)
    #expect(
      place.message { try $0.store(entry("USB")) }
        == "outboard/devices.yaml: its layout cannot be edited. Write each device as a list item"
        + " with one key per line, or remove the file.")
    #expect(place.text == text)
    // A number in it can still be changed.
    try place.store.store(entry("A", 48_000, 128, 2, name: ""))
    #expect(try place.store.devices() == [entry("A", 48_000, 128, 2, name: "")])
  }

  @Test func `errors are reported with file and line, and the file is not replaced`() throws {
    let text = """
      outboard-devices: 1
      devices:
        - card: USB
          rate: 48000
          period: many
          periods: 1
        - card: PCH
          rat: 48000
          period: 64
          periods: 2

      """
    let place = try Place(text)
    let statement = """
      outboard/devices.yaml:5: devices[1].period: expected a whole number of frames, found "many". \
      Example: "period: 256".
      outboard/devices.yaml:6: devices[1].periods: 1 is out of range (2 to 64).
      outboard/devices.yaml:8: devices[2].rat: unknown key. Did you mean "rate"?
      """
    #expect(place.message { _ = try $0.devices() } == statement)
    #expect(place.message { try $0.store(entry("USB")) } == statement)
    #expect(place.text == text)
  }

  @Test func `one card at one rate may have one entry`() throws {
    let item = "- {card: A, rate: 48000, period: 64, periods: 2}\n"
    let place = try Place("outboard-devices: 1\ndevices:\n" + item + item)
    #expect(
      place.message { _ = try $0.devices() }
        == "outboard/devices.yaml:4: devices[2]: duplicate of the card and rate in line 3."
        + " Remove one.")
  }

  @Test func `a later format is refused`() throws {
    let place = try Place("outboard-devices: 2\ndevices: []\n")
    #expect(
      place.message { _ = try $0.devices() }
        == "outboard/devices.yaml:1: outboard-devices: the file is of version 2, but this program"
        + " supports only version 1.")
  }

  @Test func `a link is followed, not replaced`() throws {
    let place = try Place("outboard-devices: 1\ndevices:\n")
    let real = place.directory + "/real.yaml"
    try FileManager.default.moveItem(atPath: place.file, toPath: real)
    try FileManager.default.createSymbolicLink(atPath: place.file, withDestinationPath: real)
    try place.store.store(entry("USB"))
    #expect(try DeviceStore(file: real).devices() == [entry("USB")])
    let type = try FileManager.default.attributesOfItem(atPath: place.file)[.type]
    #expect(type as? FileAttributeType == .typeSymbolicLink)
  }
}
