// ALSADevices.swift: lists the sound cards and their capabilities. SPDX-License-Identifier: MIT

import CALSA
import Glibc
import Synchronization

/// One device of a card.
package struct ALSADevice: Sendable, Equatable {
  /// The capabilities of one direction.
  package struct Capabilities: Sendable, Equatable {
    /// Whether another program uses it; then nothing else is known.
    package var isBusy: Bool
    /// The known programs that use the device: `aplay (process 312)`.
    package var holders: [String]
    /// The message why it could not be examined, if it is not busy.
    package var refusal: String?
    /// The sample rates as text, in Hz: `8000 to 192000`, or `44100 and 48000`.
    package var rates: String
    /// Sample formats, in the driver's spelling if the driver has them.
    package var formats: [String]
    /// The supported channel counts; 0 if unknown.
    package var channels: ClosedRange<Int>
    /// The supported period lengths, in frames; 0 if unknown.
    package var periodFrames: ClosedRange<Int>
    /// The number of streams that it supports at the same time.
    package var streamCount: Int
  }

  /// The name that does not depend on the order of cards: `hw:CARD=Dummy,DEV=0`.
  package var name: String
  /// The name with numbers: `hw:0,0`.
  package var shortName: String
  /// The readable name of the card.
  package var cardName: String
  /// The readable name of the device on the card.
  package var deviceName: String
  /// The capture capabilities; nil if it cannot capture.
  package var input: Capabilities?
  /// The playback capabilities; nil if it cannot play.
  package var output: Capabilities?
  /// Whether the name `default` resolves to it, unless a sound server uses that name.
  package var isDefault: Bool
}

/// The sound cards of this computer.
package enum ALSADevices {
  /// Whether the machine has a card, including one that may not be opened. [main]
  package static var hasCard: Bool { !ProcAsound.cards().isEmpty }

  /// Whether the machine has cards, but this user may open none of them; `all` is empty then. [main]
  package static var areDenied: Bool {
    let cards = ProcAsound.cards()
    return !cards.isEmpty
      && cards.allSatisfy { card in
        access("/dev/snd/controlC\(card)", R_OK | W_OK) != 0 && errno == EACCES
      }
  }

  /// Returns every device of every card, in the kernel's order.
  ///
  /// Opens each device for a moment; active streams are not disturbed. [main]
  package static func all() -> [ALSADevice] {
    calsa_silence_messages()
    let chosen = defaultAddress
    return cards().flatMap { card in devices(of: card, chosen: chosen) }
  }

  /// The plug-in type of the device `default` if `default` is not a card, such as `pulse` or
  /// `pipewire`.
  ///
  /// Nil if it leads to a card. [main]
  package static var defaultServer: String? {
    guard snd_config_update() >= 0 else { return nil }
    var definition: OpaquePointer?
    guard snd_config_search_definition(calsa_configuration(), "pcm", "default", &definition) >= 0,
      let definition
    else { return nil }
    defer { snd_config_delete(definition) }
    var type: UnsafePointer<CChar>?
    var node: OpaquePointer?
    guard snd_config_search(definition, "type", &node) >= 0, let node,
      snd_config_get_string(node, &type) >= 0, let type
    else { return nil }
    let name = String(cString: type)
    return ["pulse", "pipewire", "jack"].contains(name) ? name : nil
  }

  /// Returns the names by which the devices of one direction can be opened. [main]
  package static func names(_ direction: ALSADriverError.Direction) -> [String] {
    let present = ProcAsound.devices()
    let known = knownNames.withLock { $0 }
    if known.present == present, let names = known.names[direction] { return names }
    calsa_silence_messages()
    let names = cards().flatMap { card in
      pcmDevices(of: card, direction).map { device in "hw:\(card.id),\(device.number)" }
    }
    knownNames.withLock { known in
      if known.present != present { known = (present, [:]) }
      known.names[direction] = names
    }
    return names
  }

  /// A cache of device names, with the kernel's list at the time of the lookup.
  ///
  /// The supervision of a missing device looks up names ten times a second, and each lookup opens
  /// all cards.
  private static let knownNames = Mutex<
    (present: String?, names: [ALSADriverError.Direction: [String]])
  >((nil, [:]))

  // MARK: - Cards

  private struct Card {
    let number: Int32
    let id: String
    let name: String
  }

  private static func cards() -> [Card] {
    var cards: [Card] = []
    var number: Int32 = -1
    while snd_card_next(&number) >= 0, number >= 0 {
      guard let control = Control(card: number), let card = control.card else { continue }
      cards.append(card)
    }
    return cards
  }

  private struct Device {
    let number: Int32
    let name: String
    let streamCount: Int
  }

  /// An open control interface of a card.
  private struct Control: ~Copyable {
    private let handle: OpaquePointer
    private let number: Int32

    init?(card: Int32) {
      var handle: OpaquePointer?
      guard snd_ctl_open(&handle, "hw:\(card)", Int32(SND_CTL_NONBLOCK)) >= 0, let handle
      else { return nil }
      self.handle = handle
      number = card
    }

    deinit {
      snd_ctl_close(handle)
    }

    var card: Card? {
      var info: OpaquePointer?
      guard snd_ctl_card_info_malloc(&info) >= 0, let info else { return nil }
      defer { snd_ctl_card_info_free(info) }
      guard snd_ctl_card_info(handle, info) >= 0,
        let id = snd_ctl_card_info_get_id(info), let name = snd_ctl_card_info_get_name(info)
      else { return nil }
      return Card(number: number, id: String(cString: id), name: String(cString: name))
    }

    func device(_ device: Int32, _ direction: ALSADriverError.Direction) -> Device? {
      var info: OpaquePointer?
      guard snd_pcm_info_malloc(&info) >= 0, let info else { return nil }
      defer { snd_pcm_info_free(info) }
      snd_pcm_info_set_device(info, UInt32(device))
      snd_pcm_info_set_stream(
        info, direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK)
      guard snd_ctl_pcm_info(handle, info) >= 0 else { return nil }
      let name = snd_pcm_info_get_name(info).map { String(cString: $0) } ?? ""
      return Device(
        number: device, name: name, streamCount: Int(snd_pcm_info_get_subdevices_count(info)))
    }

    var deviceNumbers: [Int32] {
      var numbers: [Int32] = []
      var number: Int32 = -1
      while snd_ctl_pcm_next_device(handle, &number) >= 0, number >= 0 { numbers.append(number) }
      return numbers
    }
  }

  private static func pcmDevices(
    of card: Card, _ direction: ALSADriverError.Direction
  ) -> [Device] {
    guard let control = Control(card: card.number) else { return [] }
    return control.deviceNumbers.compactMap { control.device($0, direction) }
  }

  // MARK: - Devices

  private static func devices(of card: Card, chosen: HardwareAddress?) -> [ALSADevice] {
    let inputs = pcmDevices(of: card, .capture)
    let outputs = pcmDevices(of: card, .playback)
    return Set((inputs + outputs).map(\.number)).sorted().map { number in
      let input = inputs.first { $0.number == number }
      let output = outputs.first { $0.number == number }
      let short = "hw:\(card.number),\(number)"
      return ALSADevice(
        name: "hw:CARD=\(card.id),DEV=\(number)", shortName: short, cardName: card.name,
        deviceName: output?.name ?? input?.name ?? "",
        input: input.map { side(card, $0, .capture) },
        output: output.map { side(card, $0, .playback) },
        isDefault: chosen?.card == Int(card.number) && (chosen?.device ?? 0) == Int(number))
    }
  }

  private static func side(
    _ card: Card, _ device: Device, _ direction: ALSADriverError.Direction
  ) -> ALSADevice.Capabilities {
    var side = ALSADevice.Capabilities(
      isBusy: false, holders: [], refusal: nil, rates: "", formats: [], channels: 0 ... 0,
      periodFrames: 0 ... 0, streamCount: device.streamCount)
    do {
      let space = try HardwareParameters(
        PCM(device: "hw:\(card.number),\(device.number)", direction: direction))
      side.rates = space.rateDescription
      side.formats = space.formats
      side.channels = space.channels
      side.periodFrames = space.periods
    } catch ALSADriverError.busy(_, let holders) {
      side.isBusy = true
      side.holders = holders
    } catch {
      side.refusal = error.description
    }
    return side
  }

  /// Returns the card and device that `default` means in ALSA's configuration.
  private static var defaultAddress: HardwareAddress? {
    guard snd_config_update() >= 0, defaultServer == nil else { return nil }
    let named = getenv("ALSA_PCM_CARD") ?? getenv("ALSA_CARD")
    guard let card = named.map({ String(cString: $0) }) ?? configured("defaults.pcm.card") else {
      return nil
    }
    return HardwareAddress(name: "hw:\(card),\(configured("defaults.pcm.device") ?? "0")")
  }

  private static func configured(_ key: String) -> String? {
    var node: OpaquePointer?
    guard snd_config_search(calsa_configuration(), key, &node) >= 0, let node else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    guard snd_config_get_ascii(node, &text) >= 0, let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
