// ALSADriverErrorTests.swift: the exact text of every message. SPDX-License-Identifier: MIT

import Testing

@testable import ALSADriver

@Suite struct ALSADriverErrorTests {
  @Test(arguments: messages)
  func `an error message is a sentence that says how to fix it`(
    expected: Case
  ) {
    #expect(expected.error.description == expected.message)
  }

  @Test func `a wrong request is distinguished from a device error`() {
    #expect(ALSADriverError.noDeviceNamed.exitStatus == 2)
    #expect(ALSADriverError.unknownFormat(name: "S17").exitStatus == 2)
    #expect(ALSADriverError.impossible(what: "rate", value: 0, least: 1).exitStatus == 2)
    #expect(ALSADriverError.noCard.exitStatus == 3)
    #expect(ALSADriverError.disconnected(device: "hw:0").exitStatus == 3)
  }

  @Test func `a retry is useful if a device may become free or return`() {
    #expect(ALSADriverError.busy(device: "hw:0", holders: []).isWorthRetrying)
    #expect(ALSADriverError.disconnected(device: "hw:0").isWorthRetrying)
    #expect(!ALSADriverError.notPermitted(device: "hw:0").isWorthRetrying)
  }

  @Test func `a permission error says how to fix it`() {
    #expect(
      PrivilegeWarnings.schedulingWarning
        == "No permission for real-time scheduling; dropouts are likely. Run `outboard "
        + "doctor`.")
    #expect(
      PrivilegeWarnings.memoryWarning
        == "No permission to lock memory; page faults may cause dropouts. Run "
        + "`outboard doctor`.")
  }

  /// An error and its message.
  struct Case: Sendable {
    let error: ALSADriverError
    let message: String

    init(_ error: ALSADriverError, _ message: String) {
      self.error = error
      self.message = message
    }
  }

  private static let messages: [Case] = [
    Case(
      .driftTooLarge(device: "hw:1", partsPerMillion: 25_003),
      """
      The clock of hw:1 is 25003 ppm faster than the primary device, which exceeds the 2 % \
      limit. Fix the clock sources or remove one device.
      """),
    Case(
      .driftTooLarge(device: "hw:1", partsPerMillion: -21_000),
      """
      The clock of hw:1 is 21000 ppm slower than the primary device, which exceeds the 2 % \
      limit. Fix the clock sources or remove one device.
      """),
    Case(
      .noDeviceNamed,
      """
      No audio device was specified. Specify a capture or playback device, e.g. `--out \
      default`.
      """),
    Case(
      .impossible(what: "number of periods", value: 1, least: 2),
      """
      A number of periods of 1 is out of range. Use at least 2.
      """),
    Case(
      .unknownFormat(name: "S17"),
      """
      The sample format S17 is unknown. Use S8, U8, S16, U16, S18_3, S20_3, S24_3, S20, S24, \
      S32, U32, FLOAT, FLOAT64, S16_BE, U16_BE, S18_3_BE, S20_3_BE, S24_3_BE, S20_BE, S24_BE, \
      S32_BE, U32_BE, FLOAT_BE or FLOAT64_BE.
      """),
    Case(
      .noCard,
      """
      No sound card was found. Connect one, use `--in dummy --out dummy`, or process a file with `outboard render`.
      """),
    Case(
      .noSuchDevice(device: "hw:9", direction: .capture, available: []),
      """
      No such capture device: hw:9. No sound card has one.
      """),
    Case(
      .noSuchDevice(device: "hw:9", direction: .playback, available: ["hw:PCH,0"]),
      """
      No such playback device: hw:9. Available: hw:PCH,0.
      """),
    Case(
      .noSuchDevice(device: "hw:9", direction: .playback, available: ["hw:A,0", "hw:B,0"]),
      """
      No such playback device: hw:9. Available: hw:A,0 and hw:B,0.
      """),
    Case(
      .busy(device: "hw:0", holders: ["aplay (process 312)"]),
      """
      The device hw:0 is in use by aplay (process 312). Stop that program or choose another device.
      """),
    Case(
      .busy(device: "hw:0", holders: []),
      """
      The device hw:0 is in use by another program. Stop that program or choose another device.
      """),
    Case(
      .notPermitted(device: "hw:0"),
      """
      Permission to open hw:0 was denied. Add your user to the group audio (sudo adduser $USER \
      audio) and log in again.
      """),
    Case(
      .noUsableAccess(device: "odd"),
      """
      The device odd supports no usable access mode. Use plug:odd instead.
      """),
    Case(
      .formatNotOffered(
        device: "hw:0", direction: .capture, format: "S32", offered: ["U8", "S16"]),
      """
      The device hw:0 has no format S32 for capture. It offers U8 and S16.
      """),
    Case(
      .formatNotOffered(device: "hw:0", direction: .capture, format: nil, offered: ["U8"]),
      """
      The device hw:0 has no usable sample format for capture. It offers U8.
      """),
    Case(
      .rateNotOffered(
        device: "hw:0", direction: .playback, rateHz: 96_000, offered: "44100 and 48000"),
      """
      The device hw:0 has no rate of 96000 Hz for playback. It offers 44100 and 48000 Hz.
      """),
    Case(
      .noCommonRate(input: "hw:A", inputOffers: "44100", output: "hw:B", outputOffers: "48000"),
      """
      The devices hw:A (44100 Hz) and hw:B (48000 Hz) have no common rate. Choose other \
      devices or set `clock: independent` for one of them in a rig.
      """),
    Case(
      .channelsNotOffered(device: "hw:0", direction: .capture, count: 3, offered: "1 to 2"),
      """
      The device hw:0 cannot be set to 3 channels for capture. It offers 1 to 2.
      """),
    Case(
      .periodNotOffered(
        frames: 64, offers: ["hw:A offers 128 to 256 for capture", "hw:B offers 512 for playback"]),
      """
      No period near 64 frames is supported: hw:A offers 128 to 256 for capture, and hw:B \
      offers 512 for playback.
      """),
    Case(
      .refused(device: "hw:0", step: "be set up", reason: "Invalid argument"),
      """
      The device hw:0 failed to be set up: Invalid argument. Try other settings or \
      plug:hw:0.
      """),
    Case(
      .disconnected(device: "hw:USB"),
      """
      The device hw:USB was disconnected. It will be reopened when it returns.
      """),
    Case(
      .noResponse(device: "pulse"),
      """
      The device pulse does not respond. It will be reopened when it responds. If it is a \
      sound server, restart it.
      """),
    Case(
      .noServer(device: "pulse"),
      """
      The sound server behind pulse is not running. Start it or use a hardware device (`hw:`).
      """),
    Case(.opening(device: "pulse"), "The device pulse is being opened."),
    Case(
      .silent(device: "hw:0", direction: .capture, seconds: 2),
      """
      The device hw:0 was opened for capture but transferred no audio for 2 seconds. Check that it \
      is switched on and has a clock.
      """),
    Case(
      .xrun(device: "hw:1", direction: .playback),
      "The device hw:1 had an underrun and is being reopened. If this repeats, use a longer "
        + "period."),
    Case(
      .xrun(device: "hw:1", direction: .capture),
      "The device hw:1 had an overrun and is being reopened. If this repeats, use a longer "
        + "period."),
    Case(
      .noThread(reason: "Resource temporarily unavailable"),
      """
      The audio thread could not be created (Resource temporarily unavailable). Stop other \
      programs and try again.
      """),
  ]
}
