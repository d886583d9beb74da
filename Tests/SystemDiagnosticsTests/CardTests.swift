// CardTests.swift: sound cards, permissions, programs that use them, servers, USB. SPDX-License-Identifier: MIT

import Glibc
import SystemDiagnostics
import Testing

@Suite struct `Sound cards` {
  private let tree: Tree

  init() throws { tree = try Tree() }

  @Test func `have the names with which they are opened`() throws {
    try tree.addUSBCard()
    #expect(
      try #require(tree.check("cards")).found
        == "hw:PCH (HDA Intel PCH) and hw:USB (Scarlett 2i2 USB).")
  }

  @Test func `that are missing are bad`() throws {
    try tree.write("/proc/asound/cards", "--- no soundcards ---")
    let check = try #require(tree.check("cards"))
    #expect(check.state == .error)
    #expect(check.found == "There is none.")
  }

  @Test func `need a kernel with sound support`() throws {
    try tree.remove("/proc/asound")
    let check = try #require(tree.check("cards"))
    #expect(check.found == "The kernel has no ALSA support.")
    #expect(check.commands == ["sudo modprobe snd-pcm"])
  }

  @Test func `without permission need the group`() throws {
    tree.facts.refusal = { $0 == "/dev/snd/pcmC0D0p" ? EACCES : 0 }
    let check = try #require(tree.check("permission"))
    #expect(check.state == .error)
    #expect(check.found == "/dev/snd/pcmC0D0p cannot be opened.")
    #expect(check.commands == ["sudo usermod --append --groups audio ada"])
    tree.facts.groups = [29]
    #expect(try #require(tree.check("permission")).commands == [])
  }

  @Test func `not passed to a container are reported as outside`() throws {
    try tree.remove("/dev/snd")
    try tree.write("/.dockerenv", "")
    #expect(
      try #require(tree.check("permission")).advice == "Start the container with --device /dev/snd."
    )
  }

  @Test func `in use by another program are an error if none is free`() throws {
    tree.holders = [0: ["aplay (process 312)"]]
    let check = try #require(tree.check("holders"))
    #expect(check.state == .error)
    #expect(check.found == "aplay (process 312) holds hw:PCH.")
    #expect(check.commands == ["kill 312"])
    try tree.addUSBCard()
    #expect(try #require(tree.check("holders")).state == .warning)
  }

  @Test(arguments: [
    ("pulseaudio", ["pasuspender -- outboard run \u{2026}"]),
    ("pipewire", ["pactl set-card-profile CARD off"]), ("jackd", ["killall jackd"]),
    ("jackdbus", ["jack_control stop"]),
  ])
  func `that a sound server uses can be released by it`(server: String, commands: [String]) throws {
    try tree.addProcess(700, server)
    #expect(
      try #require(tree.check("servers")).found == "\(server) is running and uses no card"
        + " now.")
    #expect(try #require(tree.check("servers")).state == .ok)
    tree.holders = [0: ["\(server) (process 700)"]]
    #expect(try #require(tree.check("servers")).commands == commands)
    #expect(try #require(tree.check("holders")).state == .warning)
    #expect(try #require(tree.check("holders")).commands == [])
  }

  @Test func `on the bus stay awake`() throws {
    #expect(tree.check("usb-suspend") == nil)
    try tree.addUSBCard()
    #expect(try #require(tree.check("usb-suspend")).state == .ok)
    try tree.write("/sys/devices/pci0/usb1/1-2/power/control", "auto")
    let check = try #require(tree.check("usb-suspend"))
    #expect(check.found == "hw:USB may be suspended while idle.")
    #expect(check.commands == ["echo on | sudo tee /sys/bus/usb/devices/1-2/power/control"])
    try tree.write("/sys/devices/pci0/usb1/1-2/power/autosuspend_delay_ms", "-1000")
    #expect(try #require(tree.check("usb-suspend")).state == .ok)
  }

  @Test func `directly at the machine have the bus to themselves`() throws {
    try tree.addUSBCard(speed: "12")
    #expect(try #require(tree.check("usb-hub")).state == .ok)
  }

  @Test func `on a hub may share it`() throws {
    try tree.addUSBCard(
      hub: (speed: "480", neighbours: ["1-1.3": "1.5", "1-1.4": "12", "1-1.1": "480"]), speed: "12")
    let check = try #require(tree.check("usb-hub"))
    #expect(check.state == .warning)
    #expect(check.found == "hw:USB, at 12 Mbit/s, shares its hub with 2 other slow devices.")
  }

  @Test func `at high speed are not slowed by others behind the same hub`() throws {
    try tree.addUSBCard(hub: (speed: "480", neighbours: ["1-1.3": "12"]))
    #expect(try #require(tree.check("usb-hub")).state == .ok)
  }

  @Test func `behind a slow hub are slow`() throws {
    try tree.addUSBCard(hub: (speed: "12", neighbours: [:]), speed: "12")
    #expect(try #require(tree.check("usb-hub")).found == "hw:USB is on a hub of 12 Mbit/s.")
  }
}
