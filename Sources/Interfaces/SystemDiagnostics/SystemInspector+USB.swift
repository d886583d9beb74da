// SystemInspector+USB.swift: USB sound cards. SPDX-License-Identifier: MIT

/// A USB sound card.
struct USBCard {
  let card: Card
  /// The directory of the device below /sys.
  let path: String
  /// The bus name, e.g.
  ///
  /// `1-2.4`.
  let busName: String
}

extension SystemInspector {
  /// The USB sound cards.
  var usbCards: [USBCard] {
    foundCards.compactMap { card in
      // The card is on an interface of the device.
      let path = "/sys/class/sound/card\(card.number)/device/.."
      guard files.exists("\(path)/idVendor"), let name = files.resolvedName(path) else {
        return nil
      }
      return USBCard(card: card, path: path, busName: name)
    }
  }

  /// Checks whether USB cards are suspended; nil if there is none.
  func usbSuspend() -> SystemCheck? {
    let subject = CheckDescription(
      id: "usb-suspend", title: "USB suspend",
      reason: "A suspended card starts late and often with a click.")
    guard !usbCards.isEmpty else { return nil }
    let sleepy = usbCards.filter { usb in
      files.text("\(usb.path)/power/control") == "auto"
        && (files.number("\(usb.path)/power/autosuspend_delay_ms") ?? 2_000) >= 0
    }
    guard !sleepy.isEmpty else { return subject.result(.ok, "USB suspend is off for all cards.") }
    let names = sleepy.map { "hw:\($0.card.id)" }.enumeration
    return subject.result(
      .warning, "\(names) may be suspended while idle.",
      commands: sleepy.map {
        "echo on | sudo tee /sys/bus/usb/devices/\($0.busName)/power/control"
      },
      advice:
        "It lasts until the card is pulled; `outboard help systemd` shows the rule that makes it last."
    )
  }

  /// Checks whether a card shares a slow hub; nil if there is no USB card.
  func usbHubs() -> SystemCheck? {
    let subject = CheckDescription(
      id: "usb-hub", title: "USB hubs",
      reason: "Devices on one hub share its bandwidth.")
    guard !usbCards.isEmpty else { return nil }
    let sharedHubMessages = usbCards.compactMap { usb -> String? in
      let hub = "\(usb.path)/.."
      // The root hub is part of the computer.
      guard files.text("\(hub)/devpath") != "0", files.text("\(hub)/bDeviceClass") == "09",
        let speed = files.number("\(usb.path)/speed"), let hubSpeed = files.number("\(hub)/speed")
      else { return nil }
      let name = "hw:\(usb.card.id)"
      if hubSpeed <= 12 { return "\(name) is on a hub of \(hubSpeed) Mbit/s" }
      // Slow devices share one translator, even on a fast hub.
      let others = devicesOnHub(usb, hub).filter { $0 <= 12 }
      guard speed <= 12, !others.isEmpty else { return nil }
      return "\(name), at \(speed) Mbit/s, shares its hub with"
        + " \(others.count) other slow \(others.count == 1 ? "device" : "devices")"
    }
    guard !sharedHubMessages.isEmpty else {
      return subject.result(.ok, "No card shares a slow hub.")
    }
    return subject.result(
      .warning, sharedHubMessages.joined(separator: "; ") + ".",
      advice: "Connect the card directly to the computer.")
  }

  /// The speeds of the other devices on a hub, in Mbit/s.
  private func devicesOnHub(_ usb: USBCard, _ hub: String) -> [Int] {
    guard let dot = usb.busName.lastIndex(where: { $0 == "." }) else { return [] }
    let stem = usb.busName[...dot]
    return files.names(in: hub).filter { name in
      name.hasPrefix(stem) && name != usb.busName && !name.dropFirst(stem.count).contains(":")
    }.compactMap { files.text("\(hub)/\($0)/speed").flatMap(Double.init).map { Int($0) } }
  }
}
