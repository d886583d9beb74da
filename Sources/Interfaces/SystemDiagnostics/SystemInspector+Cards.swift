// SystemInspector+Cards.swift: sound cards, their permissions, users and USB ports. SPDX-License-Identifier: MIT

import Glibc

/// A sound card in the kernel's list.
struct Card {
  let number: Int
  /// The name after `hw:`.
  let id: String
  /// The name for users.
  let name: String
}

extension SystemInspector {
  /// The cards by number.
  var foundCards: [Card] {
    // " 0 [Loopback       ]: Loopback - Loopback", followed by a second line for each card.
    files.lines("/proc/asound/cards").compactMap { line in
      guard let open = line.firstIndex(of: "["), let close = line.firstIndex(of: "]"), open < close,
        let number = Int(line[..<open].trimmed)
      else { return nil }
      let tail = line[close...]
      let name = tail.firstRange(of: " - ").map { tail[$0.upperBound...].trimmed }
      let id = line[line.index(after: open) ..< close].trimmed
      return Card(number: number, id: id, name: name ?? id)
    }
  }

  /// Checks whether there is a card.
  func cards() -> SystemCheck {
    let subject = CheckDescription(
      id: "cards", title: "Sound cards", reason: "Audio needs at least one card.")
    let cards = foundCards
    guard cards.isEmpty else {
      let list = cards.map { "hw:\($0.id) (\($0.name))" }.enumeration
      return subject.result(.ok, "\(list).")
    }
    guard files.exists("/proc/asound") else {
      return subject.result(
        .error, "The kernel has no ALSA support.",
        commands: isContainer ? [] : ["sudo modprobe snd-pcm"],
        advice: isContainer
          ? "The host of this container needs a card. Start the container with --device /dev/snd."
          : "Then connect a card. A cloud kernel has no ALSA support; install the standard kernel.")
    }
    return subject.result(
      .error, "There is none.",
      advice: "Connect a card. If it is connected, look for errors in `sudo dmesg`.")
  }

  /// Checks whether the user may open the cards.
  func cardPermission() -> SystemCheck {
    let subject = CheckDescription(
      id: "permission", title: "Permission",
      reason: "The program needs permission to open the card.")
    let devices = files.names(in: "/dev/snd").filter { $0.hasPrefix("pcm") || $0 == "controlC0" }
    guard !devices.isEmpty else {
      guard !foundCards.isEmpty else {
        return subject.result(.unknown, "No sound card.")
      }
      return subject.result(
        .error, "The kernel has cards, but /dev/snd has no devices.",
        advice: isContainer
          ? "Start the container with --device /dev/snd."
          : "Check that the udev service is"
            + " running.")
    }
    let refused = devices.filter { facts.refusal("/dev/snd/\($0)") != 0 }
    guard !refused.isEmpty else { return subject.result(.ok, "All cards can be opened.") }
    let isMember = isAudioMember
    return subject.result(
      .error, "\(refused.map { "/dev/snd/\($0)" }.enumeration) cannot be opened.",
      commands: isMember || facts.isRoot ? [] : [joinAudioGroup],
      advice: isMember || facts.isRoot
        ? "Check the owner and mode of the device files, and what starts this program."
        : "Then log in again.")
  }

  /// Checks which programs use the cards.
  func cardHolders() -> SystemCheck {
    let subject = CheckDescription(
      id: "holders", title: "Cards in use",
      reason: "Most cards can be opened by only one program.")
    let cards = foundCards
    let busyCards = cards.map { (card: $0, holders: holders($0.number)) }.filter {
      !$0.holders.isEmpty
    }
    guard !busyCards.isEmpty else {
      return cards.isEmpty
        ? subject.result(.unknown, "No sound card.")
        : subject.result(.ok, "No card is in use.")
    }
    let found = busyCards.map {
      "\($0.holders.enumeration) \($0.holders.count == 1 ? "holds" : "hold") hw:\($0.card.id)"
    }
    let nonServerHolders = busyCards.flatMap(\.holders).filter { serverName($0) == nil }
    let isAnyFree = busyCards.count < cards.count || nonServerHolders.isEmpty
    return subject.result(
      isAnyFree ? .warning : .error, found.joined(separator: "; ") + ".",
      commands: nonServerHolders.compactMap(endCommand),
      advice: nonServerHolders.isEmpty ? "To release the card, see the sound server check." : nil)
  }

  /// Returns `kill 312` for `aplay (process 312)`.
  private func endCommand(_ holder: String) -> String? {
    holder.split(separator: " ").last.flatMap { Int($0.dropLast()) }.map { "kill \($0)" }
  }

  // MARK: - Sound servers

  /// The sound servers that use cards, by process name.
  private static let servers = [
    "pulseaudio", "pipewire", "pipewire-media-", "wireplumber", "jackd", "jackdbus",
  ]

  private func serverName(_ holder: String) -> String? {
    Self.servers.first { holder == $0 || holder.hasPrefix("\($0) (") }
  }

  /// Checks for sound servers, and shows how to release the card.
  func soundServers() -> SystemCheck {
    let subject = CheckDescription(
      id: "servers", title: "Sound servers",
      reason: "A sound server adds latency and opens idle cards.")
    let running = Self.servers.filter { server in processes.contains { $0.name == server } }
    guard !running.isEmpty else { return subject.result(.ok, "None is running.") }
    let holding = Set(foundCards.flatMap { holders($0.number) }.compactMap(serverName))
    guard !holding.isEmpty else {
      let verb = running.count == 1 ? "is running and uses" : "are running and use"
      return subject.result(.ok, "\(running.enumeration) \(verb) no card now.")
    }
    let remedies = holding.sorted().map(Self.releaseCardCommand)
    return subject.result(
      .warning,
      "\(holding.sorted().enumeration) \(holding.count == 1 ? "holds" : "hold") a card.",
      commands: remedies.map(\.command),
      advice: Set(remedies.compactMap(\.advice)).sorted().joined(separator: " ").nonEmpty)
  }

  private static func releaseCardCommand(_ server: String) -> (command: String, advice: String?) {
    switch server {
    case "pulseaudio": ("pasuspender -- outboard run \u{2026}", nil)
    case "jackd": ("killall jackd", nil)
    case "jackdbus": ("jack_control stop", nil)
    default:
      (
        "pactl set-card-profile CARD off",
        "`pactl list short cards` shows the names. The profile is persistent. Select pro-audio"
          + " or another profile to use the card again."
      )
    }
  }
}

extension String {
  /// The array, or nil if it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}

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
        "This lasts until the card is unplugged; `outboard help systemd` shows a permanent rule."
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
