// CardIdentity.swift: identifies a card independently of its number. SPDX-License-Identifier: MIT

/// The attributes of a card that stay the same when it is unplugged and returns, perhaps under
/// another number.
struct CardIdentity: Equatable {
  /// The kernel's short name, such as `USB` or `PCH`; the second card of a kind gets `USB_1`.
  var id: String
  /// The driver and the readable name, as in /proc/asound/cards.
  var name: String
  /// Vendor and product of a USB card, such as `1235:8210`.
  var usbID: String?
  /// The serial number of a USB card, if it has one.
  var serial: String?

  /// Reads the kernel's description of a card.
  ///
  /// Nil if the card does not exist. [main]
  init?(card: Int, root: String = "") {
    let directory = "\(root)/proc/asound/card\(card)"
    guard let id = Self.line(of: "\(directory)/id") else { return nil }
    self.id = id
    name = Self.name(ofCard: card, root: root) ?? id
    usbID = Self.line(of: "\(directory)/usbid")
    // The card's device is an interface of the USB device, which has the number.
    serial = Self.line(of: "\(root)/sys/class/sound/card\(card)/device/../serial")
  }

  /// Returns the current number of the card; nil if it is not connected. [main]
  func find(root: String = "") -> Int? {
    let cards = ProcAsound.cards(root: "\(root)/proc").compactMap { number in
      CardIdentity(card: number, root: root).map { (number: number, identity: $0) }
    }
    let alike = cards.filter { $0.identity.name == name && $0.identity.usbID == usbID }
    // Some vendors' serial numbers are invalid and change with the USB port. A second card of the
    // same model that is connected too has another short name.
    let same =
      alike.first { $0.identity.serial != nil && $0.identity.serial == serial }
      ?? alike.first { $0.identity.id == id }
    return same?.number
  }

  /// Returns the text after the brackets in a line of /proc/asound/cards:
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

/// A device as it is reopened: identified by its card, not by the card's number.
struct DeviceAddress {
  /// The name from the user.
  let name: String
  /// The card of that name; nil if it has none, as with a sound server.
  private(set) var identity: CardIdentity?

  /// Stores the name of a device that was opened, and its card. [main]
  init(name: String, card: Int?) {
    self.name = name
    identity = card.flatMap { CardIdentity(card: $0) }
  }

  /// Returns the name by which to open the device now; nil if its card is not connected. [main]
  func current(root: String = "") -> String? {
    // A name without a card, such as `default`, is resolved each time.
    guard let identity, let specifier = CardSpecifier(name) else { return name }
    return identity.find(root: root).map { specifier.name(withCard: $0) }
  }

  /// Returns the name that now leads to a card, or nil if the user's name does. [main]
  func movedName(of card: Int?) -> String? {
    guard let card, let word = CardSpecifier(name), HardwareAddress(name: name)?.card != card else {
      return nil
    }
    return word.name(withCard: card)
  }
}

/// The part of a device name that identifies a card: `1` in `hw:1,0`, `CARD=USB` in
/// `plughw:CARD=USB`.
struct CardSpecifier {
  private let before: Substring
  /// The card: a number or a short name.
  let word: Substring
  private let after: Substring

  /// Parses a name.
  ///
  /// Nil if it contains no card.
  init?(_ name: String) {
    // In nested names, such as plug:hw:1, the last part contains the card.
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

  /// Returns the name with another card number.
  func name(withCard card: Int) -> String { "\(before)\(card)\(after)" }
}
