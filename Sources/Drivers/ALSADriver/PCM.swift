// PCM.swift: one open direction of a device. SPDX-License-Identifier: MIT

import CALSA
import Glibc

/// The owner of an open ALSA PCM, which it closes when it is freed.
///
/// A class, not a noncopyable struct, because one or two of them are optional members of other
/// objects. The audio thread uses only the pointer.
final class PCM {
  /// The name in the request, which messages use.
  let device: String
  let direction: ALSADriverError.Direction
  /// ALSA's handle, valid as long as this object.
  let handle: OpaquePointer

  private var isOpen = true

  /// Opens a device, without waiting for it to become free. [main]
  convenience init(device: String, direction: ALSADriverError.Direction) throws(ALSADriverError) {
    let opening = PendingPCM(device: device, direction: direction)
    let handle = try opening.handle(timeoutSeconds: PendingPCM.firstTimeoutSeconds)
    self.init(device: device, direction: direction, handle: handle)
  }

  /// Takes an open handle. [main]
  init(device: String, direction: ALSADriverError.Direction, handle: OpaquePointer) {
    self.device = device
    self.direction = direction
    self.handle = handle
  }

  deinit {
    close()
  }

  /// Closes the PCM early; it must not be used afterwards. [main]
  func close() {
    guard isOpen else { return }
    isOpen = false
    Self.close(handle)
  }

  /// The time limit for a server to close the PCM, in seconds.
  private static let closeTimeoutSeconds = 0.5

  /// Closes a handle, and abandons it if the server does not respond. [any]
  static func close(_ handle: OpaquePointer) {
    guard snd_pcm_type(handle) != SND_PCM_TYPE_HW else {
      snd_pcm_close(handle)
      return
    }
    let address = UInt(bitPattern: handle)
    _ = BlockingCall { OpaquePointer(bitPattern: address).map { snd_pcm_close($0) } }
      .wait(seconds: closeTimeoutSeconds)
  }

  /// Returns whether a name means a card itself, whose calls return at once.
  static func isCard(_ device: String) -> Bool {
    ["hw:", "plughw:"].contains { device.hasPrefix($0) }
  }

  /// Whether the PCM is a card itself, not an alsa-lib plugin.
  var isHardware: Bool { snd_pcm_type(handle) == SND_PCM_TYPE_HW }

  /// Whether the PCM has no clock: alsa-lib's `null`, which accepts and delivers frames immediately,
  /// also behind plugins that convert audio or write it to a file.
  var lacksClock: Bool {
    // A server has a clock, and may not respond.
    guard ![SND_PCM_TYPE_HW, SND_PCM_TYPE_IOPLUG].contains(snd_pcm_type(handle)) else {
      return false
    }
    let chain = description
    return chain.contains("Null PCM") && !chain.contains("Hardware PCM")
  }

  /// Whether the PCM captures from alsa-lib's `null`, which never writes to the memory that it provides.
  ///
  /// A plugin that reads a file delivers the signal of the file.
  var capturesNothing: Bool {
    direction == .capture && lacksClock && !description.contains("File PCM")
  }

  /// The chain of alsa-lib plugins, as alsa-lib describes it.
  private var description: String {
    var output: OpaquePointer?
    guard snd_output_buffer_open(&output) >= 0, let output else { return "" }
    defer { snd_output_close(output) }
    snd_pcm_dump(handle, output)
    var text: UnsafeMutablePointer<CChar>?
    let count = snd_output_buffer_string(output, &text)
    guard let text else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// The time limit without transfers after a start, in seconds.
  ///
  /// A server first plays what it has mixed ahead: two seconds in PulseAudio's null sink.
  var startTimeoutSeconds: Int { isHardware ? 2 : 3 }

  /// The time limit without transfers once it has worked, in milliseconds.
  ///
  /// After that it is closed and reopened.
  ///
  /// A card and JACK never mix ahead. alsa-lib's plugin for JACK does not report the end of its
  /// server: the stream stalls in the state "running".
  var stallTimeoutMilliseconds: Int {
    isHardware || leadsToJACK ? 400 : 1_000 * startTimeoutSeconds
  }
  /// The time limit for a follower, whose card the main thread restarts.
  var followerTimeoutMilliseconds: Int {
    leadsToJACK ? 400 : 1_000 * startTimeoutSeconds
  }

  /// Whether the PCM leads to a JACK server, also through plugins that convert.
  private var leadsToJACK: Bool { !isHardware && description.contains("<-> JACK") }

  /// Whether the card is still connected, in any state of the stream.
  var isConnected: Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return true }
    defer { snd_pcm_info_free(info) }
    // A stream that was lost together with another card's returns EBADFD.
    return snd_pcm_info(handle, info) != -ENODEV
  }

  /// The number of its card; nil if there is none, or it is unknown.
  var card: Int? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return nil }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(handle, info) >= 0 else { return nil }
    let card = Int(snd_pcm_info_get_card(info))
    return card >= 0 ? card : nil
  }

  /// The readable name: card and device, or the name of the alsa-lib plugin.
  var name: String {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return device }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(handle, info) >= 0 else { return device }
    let pcmName = snd_pcm_info_get_name(info).map { String(cString: $0) } ?? ""
    guard let card = Self.cardName(snd_pcm_info_get_card(info)) else {
      return pcmName.isEmpty ? device : pcmName
    }
    return pcmName.isEmpty ? card : "\(card), \(pcmName)"
  }

  /// Returns a card's name, or nil if the card does not exist.
  static func cardName(_ card: Int32) -> String? {
    var name: UnsafeMutablePointer<CChar>?
    guard card >= 0, snd_card_get_name(card, &name) >= 0, let name else { return nil }
    defer { free(name) }
    return String(cString: name)
  }

  /// Returns the error of a device that could not be opened under the name `currentName`.
  static func reason(
    _ status: Int32, device: String, currentName: String, direction: ALSADriverError.Direction
  ) -> ALSADriverError {
    switch -status {
    case EBUSY, EAGAIN:
      let address = HardwareAddress(name: currentName)
      let holders = ProcAsound.holders(
        card: address?.card, device: address?.device, direction: direction)
      return .busy(device: device, holders: holders)
    case EACCES, EPERM:
      return .notPermitted(device: device)
    case ECONNREFUSED, EHOSTDOWN:
      return .noServer(device: device)
    case ENOENT, ENODEV, ENXIO:
      guard ALSADevices.hasCard else { return .noCard }
      // For alsa-lib, a card without permission does not exist.
      if ALSADevices.areDenied { return .notPermitted(device: device) }
      return .noSuchDevice(
        device: device, direction: direction, available: ALSADevices.names(direction))
    default:
      return .refused(device: device, step: "open", reason: message(status))
    }
  }

  /// Returns ALSA's message for a negative status, for the brackets of a message.
  static func message(_ status: Int32) -> String {
    snd_strerror(status).map { String(cString: $0) } ?? "error \(-status)"
  }
}

/// The card and device of a name such as `hw:CARD,DEV` or `hw:CARD=NAME,DEV=0`.
struct HardwareAddress: Equatable {
  /// The number of the card.
  var card: Int
  /// The number of the device on it; nil if the name does not contain one.
  var device: Int?

  /// Parses a name; returns nil if it means no existing card.
  init?(name: String) {
    guard let colon = name.firstIndex(of: ":") else { return nil }
    let words = name[name.index(after: colon)...].split(separator: ",").map { word in
      String(word.split(separator: "=").last ?? "")
    }
    guard let first = words.first else { return nil }
    let card = Int(snd_card_get_index(first))
    guard card >= 0 else { return nil }
    self.card = card
    device = words.count > 1 ? Int(words[1]) : nil
  }
}
