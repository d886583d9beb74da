// SystemInspector+Cards.swift: the sound cards, who may use them and who does. SPDX-License-Identifier: MIT

import Glibc

/// A sound card of the kernel's list.
struct Card {
  let number: Int
  /// The name after `hw:`.
  let id: String
  /// What people know it by.
  let name: String
}

extension SystemInspector {
  /// The cards, by number.
  var foundCards: [Card] {
    // " 0 [Loopback       ]: Loopback - Loopback", and a further line for each.
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

  /// Whether there is a card at all.
  func cards() -> SystemCheck {
    let subject = CheckDescription(
      id: "cards", title: "Sound cards", reason: "Without one there is nothing to play on.")
    let cards = foundCards
    guard cards.isEmpty else {
      let list = cards.map { "hw:\($0.id) (\($0.name))" }.enumeration
      return subject.finds(.good, "\(list).")
    }
    guard files.exists("/proc/asound") else {
      return subject.finds(
        .bad, "The kernel has no sound.",
        commands: isContainer ? [] : ["sudo modprobe snd-pcm"],
        advice: isContainer
          ? "The machine outside this container needs a card, and the container --device /dev/snd."
          : "Then connect a card; a cloud kernel has no sound, and a usual one is needed.")
    }
    return subject.finds(
      .bad, "There is none.",
      advice: "Connect a card; `sudo dmesg` tells why one that is connected is not taken.")
  }

  /// Whether this user may open them.
  func cardPermission() -> SystemCheck {
    let subject = CheckDescription(
      id: "permission", title: "Permission",
      reason: "A card that cannot be opened cannot be played.")
    let devices = files.names(in: "/dev/snd").filter { $0.hasPrefix("pcm") || $0 == "controlC0" }
    guard !devices.isEmpty else {
      guard !foundCards.isEmpty else {
        return subject.finds(.unknown, "There is no card to be opened.")
      }
      return subject.finds(
        .bad, "/dev/snd has no devices, though there are cards.",
        advice: isContainer
          ? "Start the container with --device /dev/snd." : "The service udev makes them.")
    }
    let refused = devices.filter { facts.refusal("/dev/snd/\($0)") != 0 }
    guard !refused.isEmpty else { return subject.finds(.good, "All cards can be opened.") }
    let isMember = isAudioMember
    return subject.finds(
      .bad, "\(refused.map { "/dev/snd/\($0)" }.enumeration) cannot be opened.",
      commands: isMember || facts.isRoot ? [] : [joinAudioGroup],
      advice: isMember || facts.isRoot
        ? "Its owner and mode are not the usual ones, or what starts this program forbids it."
        : "Then log in again.")
  }

  /// Who holds the cards.
  func cardHolders() -> SystemCheck {
    let subject = CheckDescription(
      id: "holders", title: "Cards in use",
      reason: "Most cards play for one program at a time.")
    let cards = foundCards
    let held = cards.map { (card: $0, holders: holders($0.number)) }.filter { !$0.holders.isEmpty }
    guard !held.isEmpty else {
      return cards.isEmpty
        ? subject.finds(.unknown, "There is no card to be held.")
        : subject.finds(.good, "Nobody holds a card.")
    }
    let found = held.map {
      "\($0.holders.enumeration) \($0.holders.count == 1 ? "holds" : "hold") hw:\($0.card.id)"
    }
    let strangers = held.flatMap(\.holders).filter { serverName($0) == nil }
    let isAnyFree = held.count < cards.count || strangers.isEmpty
    return subject.finds(
      isAnyFree ? .improvable : .bad, found.joined(separator: "; ") + ".",
      commands: strangers.compactMap(endCommand),
      advice: strangers.isEmpty ? "The sound server lets go of it as shown under it." : nil)
  }

  /// `kill 312` for `aplay (process 312)`.
  private func endCommand(_ holder: String) -> String? {
    holder.split(separator: " ").last.flatMap { Int($0.dropLast()) }.map { "kill \($0)" }
  }

  // MARK: - Sound servers

  /// The servers that take cards, by the names of their processes.
  private static let servers = [
    "pulseaudio", "pipewire", "pipewire-media-", "wireplumber", "jackd", "jackdbus",
  ]

  private func serverName(_ holder: String) -> String? {
    Self.servers.first { holder == $0 || holder.hasPrefix("\($0) (") }
  }

  /// Whether a sound server stands between, and how to pass it by.
  func soundServers() -> SystemCheck {
    let subject = CheckDescription(
      id: "servers", title: "Sound servers",
      reason: "A server adds its own latency, and takes the card when nobody else has it.")
    let running = Self.servers.filter { server in processes.contains { $0.name == server } }
    guard !running.isEmpty else { return subject.finds(.good, "None runs.") }
    let holding = Set(foundCards.flatMap { holders($0.number) }.compactMap(serverName))
    guard !holding.isEmpty else {
      let verb = running.count == 1 ? "runs, and holds" : "run, and hold"
      return subject.finds(.good, "\(running.enumeration) \(verb) no card now.")
    }
    let remedies = holding.sorted().map(Self.release)
    return subject.finds(
      .improvable,
      "\(holding.sorted().enumeration) \(holding.count == 1 ? "holds" : "hold") a card.",
      commands: remedies.map(\.command),
      advice: Set(remedies.compactMap(\.advice)).sorted().joined(separator: " ").nonEmpty)
  }

  private static func release(_ server: String) -> (command: String, advice: String?) {
    switch server {
    case "pulseaudio": ("pasuspender -- outboard run \u{2026}", nil)
    case "jackd": ("killall jackd", nil)
    case "jackdbus": ("jack_control stop", nil)
    default:
      (
        "pactl set-card-profile CARD off",
        "`pactl list short cards` shows the names; the last profile is remembered, and pro-audio or"
          + " another one takes the card again."
      )
    }
  }
}

extension String {
  /// Itself, or nil where there is nothing in it.
  var nonEmpty: String? { isEmpty ? nil : self }
}
