// DriverRegistryTests.swift: drivers are found by the scheme of a device's name. SPDX-License-Identifier: MIT

import AudioDriver
import RealtimeKit
import Testing

/// A driver that only reports how it was opened.
private final class Named: AudioDriver {
  let stream: StreamDescription
  let status = DriverStatus()
  init(_ note: String) {
    stream = StreamDescription(
      inputs: [], outputs: [], sampleRateHz: 48_000, periodFrames: 64, isLinked: false,
      notes: [note])
  }
  func start(_ renderer: Renderer) {}
  func stop() {}
}

@Suite struct DriverRegistryTests {
  private static func kind(_ name: String, _ schemes: Set<String>) -> DriverKind {
    DriverKind(schemes: schemes) { request, _ in Named("\(name) \(devices(request))") }
  }

  private static func devices(_ request: StreamRequest) -> String {
    let names = { (devices: [DeviceRequest]) in devices.map(\.device).joined(separator: ",") }
    return "\(names(request.inputs))>\(names(request.outputs))"
  }

  private let registry = DriverRegistry(
    [
      kind("network", ["rtp", "rtps"]),
      DriverKind(
        schemes: ["clock"], replacesAllDevices: true, exclusion: "clock stands alone."
      ) { request, _ in Named("clock \(devices(request))") },
      DriverKind(
        schemes: ["-"], open: { request, _ in Named("pipe \(devices(request))") },
        openPaired: { request, _, primary in
          Named("pipe \(devices(request)) beside \(try primary().stream.notes[0])")
        }),
    ], otherwise: kind("cards", []))

  private func open(_ inputs: [String], _ outputs: [String]) throws -> String {
    var request = StreamRequest()
    request.inputs = inputs.map { DeviceRequest(device: $0) }
    request.outputs = outputs.map { DeviceRequest(device: $0) }
    return try registry.open(request).stream.notes[0]
  }

  @Test(arguments: [
    (["rtp:239.69.1.2"], ["rtps:x"], "network rtp:239.69.1.2>rtps:x"),
    (["hw:1,0"], ["default"], "cards hw:1,0>default"),
    // A name that only begins with a scheme belongs to another driver.
    (["rtpx:1"], ["clocks"], "cards rtpx:1>clocks"),
    ([], [], "cards >"), (["-"], ["-"], "pipe ->-"), ([], ["-"], "pipe >-"),
    (["hw:1", "-"], ["hw:1"], "pipe -> beside cards hw:1>hw:1"),
    (["-"], ["clock"], "pipe -> beside clock >clock"),
  ])
  func `the scheme selects the driver, which interprets the rest of the name`(
    inputs: [String], outputs: [String], opened: String
  ) throws {
    #expect(try open(inputs, outputs) == opened)
  }

  @Test
  func `two primary drivers are refused, with a driver's own reason first`() {
    let conflict = #expect(throws: DriverConflict.self) { try open(["hw:1", "-"], ["clock"]) }
    #expect(conflict?.description == "clock and hw:1 cannot be combined: clock stands alone.")
    let error = #expect(throws: DriverConflict.self) { try open(["hw:1"], ["rtp:1"]) }
    #expect(error?.device == "hw:1" && error?.other == "rtp:1")
  }

  @Test func `a driver without optional capabilities reports so`() throws {
    let driver = Named("plain")
    driver.supervise()
    #expect(driver.rateFollowing == nil && driver.warnings == [] && driver.endNotes == [])
  }
}
