// SystemInspector+Cards.swift: sound cards, their permissions and their users. SPDX-License-Identifier: MIT

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
    let held = cards.map { (card: $0, holders: holders($0.number)) }.filter { !$0.holders.isEmpty }
    guard !held.isEmpty else {
      return cards.isEmpty
        ? subject.result(.unknown, "No sound card.")
        : subject.result(.ok, "No card is in use.")
    }
    let found = held.map {
      "\($0.holders.enumeration) \($0.holders.count == 1 ? "holds" : "hold") hw:\($0.card.id)"
    }
    let nonServerHolders = held.flatMap(\.holders).filter { serverName($0) == nil }
    let isAnyFree = held.count < cards.count || nonServerHolders.isEmpty
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
