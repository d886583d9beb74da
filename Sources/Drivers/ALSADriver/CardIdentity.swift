// CardIdentity.swift: identifies a card independently of its number. SPDX-License-Identifier: MIT

/// The attributes of a card that stay the same when it is unplugged and returns, perhaps under
/// another number.
struct CardIdentity: Equatable {
  /// The kernel's short name, such as `USB` or `PCH`; the second card of a kind gets `USB_1`.
  var id: String
  /// The driver and the card's own name, as in /proc/asound/cards.
  var name: String
  /// Vendor and product of a USB card, such as `1235:8210`.
  var usbID: String?
  /// The serial number of a USB card, where it has one.
  var serial: String?

  /// Reads the kernel's description of a card.
  ///
  /// Nil if the card does not exist. [main]
  init?(card: Int, root: String = "") {
    let folder = "\(root)/proc/asound/card\(card)"
    guard let id = Self.line(of: "\(folder)/id") else { return nil }
    self.id = id
    name = Self.name(ofCard: card, root: root) ?? id
    usbID = Self.line(of: "\(folder)/usbid")
    // The card's device is an interface of the USB device, which has the number.
    serial = Self.line(of: "\(root)/sys/class/sound/card\(card)/device/../serial")
  }

  /// The number under which the card is here now; nil where it is not. [main]
  func find(root: String = "") -> Int? {
    let cards = ProcAsound.cards(root: "\(root)/proc").compactMap { number in
      CardIdentity(card: number, root: root).map { (number: number, identity: $0) }
    }
    let alike = cards.filter { $0.identity.name == name && $0.identity.usbID == usbID }
    // Some makers' serial numbers are not what they should be, and change with the socket. A second
    // card of the same make that is there as well has another short name.
    let same =
      alike.first { $0.identity.serial != nil && $0.identity.serial == serial }
      ?? alike.first { $0.identity.id == id }
    return same?.number
  }

  /// The text between the brackets and the line's end in /proc/asound/cards:
  /// ` 1 [USB            ]: USB-Audio - Scarlett 2i2 USB`.
  private static func name(ofCard card: Int, root: String) -> String? {
    guard let text = ProcAsound.text(of: "\(root)/proc/asound/cards") else { return nil }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard words.first.flatMap({ Int($0) }) == card, let end = line.firstRange(of: "]: ") else {
        continue
      }
      return String(line[end.upperBound...])
    }
    return nil
  }

  private static func line(of path: String) -> String? {
    ProcAsound.text(of: path)?.split(separator: "\n").first.map(String.init)
  }
}

/// A device as it is opened again: by the card it was on, not by the number that this card had.
struct DeviceAddress {
  /// The name that the user gave.
  let name: String
  /// The card that it led to; nil where it led to none, such as a sound server.
  private(set) var identity: CardIdentity?

  /// The name of a device that was opened, and the card behind it. [main]
  init(name: String, card: Int?) {
    self.name = name
    identity = card.flatMap { CardIdentity(card: $0) }
  }

  /// The name by which to open it now; nil where its card is not there. [main]
  func current(root: String = "") -> String? {
    // A name without a card, such as `default`, means what it leads to at the time.
    guard let identity, let place = CardSpecifier(name) else { return name }
    return identity.find(root: root).map { place.name(withCard: $0) }
  }

  /// The name that leads to a card now, where the one that the user gave does not; nil where it does. [main]
  func place(of card: Int?) -> String? {
    guard let card, let word = CardSpecifier(name), HardwareAddress(name: name)?.card != card else {
      return nil
    }
    return word.name(withCard: card)
  }
}

/// The part of a device's name that means a card: `1` in `hw:1,0`, `CARD=USB` in `plughw:CARD=USB`.
struct CardSpecifier {
  private let before: Substring
  /// The word for the card: a number or a short name.
  let word: Substring
  private let after: Substring

  /// Parses a name.
  ///
  /// Nil if it contains no card.
  init?(_ name: String) {
    // Of nested names, such as plug:hw:1, the last one has the card.
    guard let colon = name.lastIndex(of: ":") else { return nil }
    let start = name.index(after: colon)
    let end = name[start...].firstIndex { $0 == "," } ?? name.endIndex
    let word = name[start ..< end]
    guard !word.isEmpty, word.first != "{", !word.contains("=") || word.hasPrefix("CARD=") else {
      return nil
    }
    before = name[..<start]
    self.word = word.hasPrefix("CARD=") ? word.dropFirst(5) : word
    after = name[end...]
  }

  /// The same name with another card's number.
  func name(withCard card: Int) -> String { "\(before)\(card)\(after)" }
}
