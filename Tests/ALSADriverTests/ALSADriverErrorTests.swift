// ALSADriverErrorTests.swift: every sentence, word for word. SPDX-License-Identifier: MIT

import Testing

@testable import ALSADriver

@Suite struct ALSADriverErrorTests {
  @Test(arguments: sentences)
  func `an error is a sentence that says what would be right`(
    expected: Case
  ) {
    #expect(expected.error.description == expected.sentence)
  }

  @Test func `a wrong request is told from a device that refuses`() {
    #expect(ALSADriverError.noDeviceNamed.exitStatus == 2)
    #expect(ALSADriverError.unknownFormat(name: "S17").exitStatus == 2)
    #expect(ALSADriverError.impossible(what: "rate", value: 0, least: 1).exitStatus == 2)
    #expect(ALSADriverError.noCard.exitStatus == 3)
    #expect(ALSADriverError.disconnected(device: "hw:0").exitStatus == 3)
  }

  @Test func `trying again helps where a device may come free or come back`() {
    #expect(ALSADriverError.busy(device: "hw:0", holders: []).isWorthRetrying)
    #expect(ALSADriverError.disconnected(device: "hw:0").isWorthRetrying)
    #expect(!ALSADriverError.notPermitted(device: "hw:0").isWorthRetrying)
  }

  @Test func `a refusal of the machine names its remedy`() {
    #expect(
      PrivilegeWarnings.schedulingWarning
        == "Real-time scheduling was refused, so other programs can hold up the sound; "
        + "`outboard doctor` shows how to have it granted.")
    #expect(
      PrivilegeWarnings.memoryWarning
        == "Locking the memory was refused, so memory put aside comes back late; "
        + "`outboard doctor` shows how to have it granted.")
  }

  /// An error and its sentence.
  struct Case: Sendable {
    let error: ALSADriverError
    let sentence: String

    init(_ error: ALSADriverError, _ sentence: String) {
      self.error = error
      self.sentence = sentence
    }
  }

  private static let sentences: [Case] = [
    Case(
      .clockTooFar(device: "hw:1", partsPerMillion: 25_003),
      """
      The clock of hw:1 is 25003 ppm faster than the one that gives the pace, too far off to be \
      followed; set the clocks of both right, or leave one of the devices out.
      """),
    Case(
      .clockTooFar(device: "hw:1", partsPerMillion: -21_000),
      """
      The clock of hw:1 is 21000 ppm slower than the one that gives the pace, too far off to be \
      followed; set the clocks of both right, or leave one of the devices out.
      """),
    Case(
      .noDeviceNamed,
      """
      Neither a capture nor a playback device was named; name at least one, for instance \
      default.
      """),
    Case(
      .impossible(what: "number of periods", value: 1, least: 2),
      """
      A number of periods of 1 is not possible; it must be at least 2.
      """),
    Case(
      .unknownFormat(name: "S17"),
      """
      The sample format S17 is not known; use S8, U8, S16, U16, S18_3, S20_3, S24_3, S20, S24, \
      S32, U32, FLOAT, FLOAT64, S16_BE, U16_BE, S18_3_BE, S20_3_BE, S24_3_BE, S20_BE, S24_BE, \
      S32_BE, U32_BE, FLOAT_BE or FLOAT64_BE.
      """),
    Case(
      .noCard,
      """
      No sound card was found; connect one, or render to a file instead.
      """),
    Case(
      .noSuchDevice(device: "hw:9", direction: .capture, available: []),
      """
      There is no capture device hw:9; no sound card has one.
      """),
    Case(
      .noSuchDevice(device: "hw:9", direction: .playback, available: ["hw:PCH,0"]),
      """
      There is no playback device hw:9; there is hw:PCH,0.
      """),
    Case(
      .noSuchDevice(device: "hw:9", direction: .playback, available: ["hw:A,0", "hw:B,0"]),
      """
      There is no playback device hw:9; there are hw:A,0 and hw:B,0.
      """),
    Case(
      .busy(device: "hw:0", holders: ["aplay (process 312)"]),
      """
      The device hw:0 is in use by aplay (process 312); end that or choose another device.
      """),
    Case(
      .busy(device: "hw:0", holders: []),
      """
      The device hw:0 is in use by another program; end that or choose another device.
      """),
    Case(
      .notPermitted(device: "hw:0"),
      """
      Permission to open hw:0 was denied; add your user to the group audio (sudo adduser $USER \
      audio) and log in again.
      """),
    Case(
      .noUsableAccess(device: "odd"),
      """
      The device odd offers no way of moving samples that can be used; use plug:odd instead.
      """),
    Case(
      .formatNotOffered(
        device: "hw:0", direction: .capture, format: "S32", offered: ["U8", "S16"]),
      """
      The device hw:0 has no format S32 for capture; it offers U8 and S16.
      """),
    Case(
      .formatNotOffered(device: "hw:0", direction: .capture, format: nil, offered: ["U8"]),
      """
      The device hw:0 has no usable sample format for capture; it offers U8.
      """),
    Case(
      .rateNotOffered(
        device: "hw:0", direction: .playback, rateHz: 96_000, offered: "44100 and 48000"),
      """
      The device hw:0 has no rate of 96000 Hz for playback; it offers 44100 and 48000 Hz.
      """),
    Case(
      .noCommonRate(input: "hw:A", inputOffers: "44100", output: "hw:B", outputOffers: "48000"),
      """
      The devices hw:A (44100 Hz) and hw:B (48000 Hz) have no rate in common; choose others, \
      or give one of them `clock: independent` in a rig.
      """),
    Case(
      .channelsNotOffered(device: "hw:0", direction: .capture, count: 3, offered: "1 to 2"),
      """
      The device hw:0 cannot be set to 3 channels for capture; it offers 1 to 2.
      """),
    Case(
      .periodNotOffered(
        frames: 64, offers: ["hw:A offers 128 to 256 for capture", "hw:B offers 512 for playback"]),
      """
      No period near 64 frames can be used; hw:A offers 128 to 256 for capture, and hw:B \
      offers 512 for playback.
      """),
    Case(
      .refused(device: "hw:0", step: "be set up", reason: "Invalid argument"),
      """
      The device hw:0 refused to be set up (Invalid argument); try other settings, or \
      plug:hw:0.
      """),
    Case(
      .disconnected(device: "hw:USB"),
      """
      The device hw:USB was disconnected; it is taken back as soon as it returns.
      """),
    Case(
      .unanswering(device: "pulse"),
      """
      The device pulse does not answer; it is taken back as soon as it does. If it is a sound \
      server, start it again.
      """),
    Case(
      .noServer(device: "pulse"),
      """
      The sound server behind pulse does not run; start it, or name a card.
      """),
    Case(.opening(device: "pulse"), "The device pulse is being opened."),
    Case(
      .silent(device: "hw:0", direction: .capture, seconds: 2),
      """
      The device hw:0 was opened for capture but moved no sound for 2 seconds; check that it \
      is switched on and not waiting for an external clock.
      """),
    Case(
      .ranOut(device: "hw:1", direction: .playback),
      "The device hw:1 ran dry; it is opened anew. If that goes on, try a longer period."),
    Case(
      .ranOut(device: "hw:1", direction: .capture),
      "The device hw:1 ran over; it is opened anew. If that goes on, try a longer period."),
    Case(
      .noThread(reason: "Resource temporarily unavailable"),
      """
      The audio thread could not be made (Resource temporarily unavailable); end other \
      programs and try again.
      """),
  ]
}
