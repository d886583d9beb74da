// CardIdentityTests.swift: recognising a card under another number. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ALSADriver

@Suite struct CardIdentityTests {
  /// A tree like the kernel's, with the cards by number.
  private final class Machine {
    let root = FileManager.default.temporaryDirectory.appending(
      path: "outboard-cards-\(UUID().uuidString)"
    ).path

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func set(_ cards: [Int: (id: String, name: String, usb: String?, serial: String?)]) throws {
      try? FileManager.default.removeItem(atPath: root)
      var list = ""
      for (number, card) in cards.sorted(by: { $0.key < $1.key }) {
        list += " \(number) [\(card.id)           ]: \(card.name)\n"
        list += "                      \(card.name) at a place\n"
        try write("proc/asound/card\(number)/id", card.id)
        if let usb = card.usb { try write("proc/asound/card\(number)/usbid", usb) }
        // As in /sys: the card's device is an interface of the USB device.
        try write("sys/class/sound/card\(number)/device/driver", "")
        if let serial = card.serial { try write("sys/class/sound/card\(number)/serial", serial) }
      }
      try write("proc/asound/cards", list)
    }

    private func write(_ path: String, _ text: String) throws {
      let file = URL(fileURLWithPath: root).appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((text + "\n").utf8).write(to: file)
    }
  }

  private let scarlett = (
    id: "USB", name: "USB-Audio - Scarlett 2i2 USB", usb: String?("1235:8210"),
    serial: String?("Y8A")
  )
  private let onboard = (
    id: "PCH", name: "HDA-Intel - HDA Intel PCH", usb: String?.none, serial: String?.none
  )

  @Test func `a card that returns under another number is found`() throws {
    let machine = Machine()
    try machine.set([0: onboard, 1: scarlett])
    let identity = try #require(CardIdentity(card: 1, root: machine.root))
    #expect(identity.name == "USB-Audio - Scarlett 2i2 USB")
    #expect(identity.find(root: machine.root) == 1)
    try machine.set([0: onboard])
    #expect(identity.find(root: machine.root) == nil)
    try machine.set([0: onboard, 3: scarlett])
    #expect(identity.find(root: machine.root) == 3)
  }

  @Test func `another card under the old number is not accepted`() throws {
    let machine = Machine()
    try machine.set([1: scarlett])
    let identity = try #require(CardIdentity(card: 1, root: machine.root))
    try machine.set([1: onboard])
    #expect(identity.find(root: machine.root) == nil)
  }

  @Test func `of two equal cards the serial number decides`() throws {
    let machine = Machine()
    var second = scarlett
    (second.id, second.serial) = ("USB_1", "Y8B")
    try machine.set([1: scarlett, 2: second])
    let identity = try #require(CardIdentity(card: 2, root: machine.root))
    // After both cards are plugged in again in the other order, the kernel's short names are swapped.
    (second.id, second.serial) = ("USB_1", "Y8A")
    var first = scarlett
    first.serial = "Y8B"
    try machine.set([1: first, 2: second])
    #expect(identity.find(root: machine.root) == 1)
  }

  @Test func `a card that remains is not identified as its removed twin`() throws {
    let machine = Machine()
    var second = scarlett
    (second.id, second.serial) = ("USB_1", "Y8B")
    try machine.set([1: scarlett, 2: second])
    let identity = try #require(CardIdentity(card: 1, root: machine.root))
    try machine.set([2: second])
    #expect(identity.find(root: machine.root) == nil)
  }

  @Test func `a serial number that depends on the socket is ignored`() throws {
    let machine = Machine()
    try machine.set([1: scarlett])
    let identity = try #require(CardIdentity(card: 1, root: machine.root))
    var moved = scarlett
    moved.serial = "1-0000:00:05.0-2"
    try machine.set([2: moved])
    #expect(identity.find(root: machine.root) == 2)
  }

  @Test(
    arguments: [
      ("hw:1,0", "hw:7,0"), ("hw:1", "hw:7"), ("hw:USB", "hw:7"),
      ("plughw:CARD=USB,DEV=1", "plughw:7,DEV=1"),
      ("plug:hw:1", "plug:hw:7"), ("front:CARD=USB", "front:7"),
    ])
  func `the card's number replaces its name`(name: String, renamed: String) {
    #expect(CardSpecifier(name)?.name(withCard: 7) == renamed)
  }

  @Test(arguments: ["default", "pulse", "hw:", "dsnoop:{SLAVE=x}", "file:FILE=x"])
  func `a name without a card is unchanged`(name: String) {
    #expect(CardSpecifier(name) == nil)
  }
}
