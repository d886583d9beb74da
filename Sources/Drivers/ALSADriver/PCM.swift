// PCM.swift: one open direction of one device. SPDX-License-Identifier: MIT

import CALSA
import Glibc

/// The owner of an open ALSA PCM; closes it when it goes.
///
/// A class, not a noncopyable struct, as one or two of them are kept, optional, through negotiation
/// and driving; the audio thread only ever sees the pointer.
final class PCM {
  /// The requested name, which the user knows.
  let device: String
  let direction: ALSADriverError.Direction
  /// ALSA's handle, valid as long as this object.
  let handle: OpaquePointer

  private var isOpen = true

  /// Opens a device, without waiting for it to become free. [main]
  convenience init(device: String, direction: ALSADriverError.Direction) throws(ALSADriverError) {
    let opening = PendingPCM(device: device, direction: direction)
    let handle = try opening.handle(patienceSeconds: PendingPCM.firstPatienceSeconds)
    self.init(device: device, direction: direction, handle: handle)
  }

  /// Owns a handle that was opened. [main]
  init(device: String, direction: ALSADriverError.Direction, handle: OpaquePointer) {
    self.device = device
    self.direction = direction
    self.handle = handle
  }

  deinit {
    close()
  }

  /// Closes it before it goes; nothing is to be done with it afterwards. [main]
  func close() {
    guard isOpen else { return }
    isOpen = false
    Self.close(handle)
  }

  /// How long a server is waited for until it has let go, in seconds.
  private static let closingPatienceSeconds = 0.5

  /// Closes a handle, and leaves that alone where a server does not answer. [any]
  static func close(_ handle: OpaquePointer) {
    guard snd_pcm_type(handle) != SND_PCM_TYPE_HW else {
      snd_pcm_close(handle)
      return
    }
    let place = UInt(bitPattern: handle)
    _ = BlockingCall { OpaquePointer(bitPattern: place).map { snd_pcm_close($0) } }
      .wait(seconds: closingPatienceSeconds)
  }

  /// Whether a name means a card itself, which answers at once.
  static func isCard(_ device: String) -> Bool {
    ["hw:", "plughw:"].contains { device.hasPrefix($0) }
  }

  /// Whether it is a card itself, not one of alsa-lib's plug-ins.
  var isHardware: Bool { snd_pcm_type(handle) == SND_PCM_TYPE_HW }

  /// Whether nothing behind it has a clock: alsa-lib's `null`, which takes and gives all at once, also behind plug-ins
  /// that convert sound or write it to a file.
  var lacksClock: Bool {
    // What a server is behind has one, and might not answer.
    guard ![SND_PCM_TYPE_HW, SND_PCM_TYPE_IOPLUG].contains(snd_pcm_type(handle)) else {
      return false
    }
    let chain = description
    return chain.contains("Null PCM") && !chain.contains("Hardware PCM")
  }

  /// Whether it captures from alsa-lib's `null`, which never writes to the memory that it hands over.
  ///
  /// A plug-in that reads a file has sound of its own.
  var capturesNothing: Bool {
    direction == .capture && lacksClock && !description.contains("File PCM")
  }

  /// The plug-ins that it is made of, in alsa-lib's words.
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

  /// How long it may move nothing after its start before it counts as dead, in seconds.
  ///
  /// In a server, what it has mixed ahead comes first: two seconds in PulseAudio's null sink.
  var startPatienceSeconds: Int { isHardware ? 2 : 3 }

  /// How long it may move nothing once it has worked, in milliseconds, before it is closed and reopened.
  ///
  /// A card and JACK never mix ahead, and alsa-lib's plug-in for JACK does not report the end of its server: the stream stands
  /// still, and its state stays "running".
  var standstillPatienceMilliseconds: Int {
    isHardware || leadsToJACK ? 400 : 1_000 * startPatienceSeconds
  }
  /// The same for a device that follows, whose cards are restarted by the main thread.
  var followerPatienceMilliseconds: Int {
    leadsToJACK ? 400 : 1_000 * startPatienceSeconds
  }

  /// Whether it leads to a JACK server, also through plug-ins that convert.
  private var leadsToJACK: Bool { !isHardware && description.contains("<-> JACK") }

  /// Whether the card is still there, in any state of the stream.
  var isConnected: Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return true }
    defer { snd_pcm_info_free(info) }
    // A stream that was lost along with another one's card answers EBADFD.
    return snd_pcm_info(handle, info) != -ENODEV
  }

  /// The number of the card that it leads to; nil where that is none, or not known.
  var card: Int? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return nil }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(handle, info) >= 0 else { return nil }
    let card = Int(snd_pcm_info_get_card(info))
    return card >= 0 ? card : nil
  }

  /// What a person calls it: card and device, or the plug-in's own name.
  var name: String {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return device }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(handle, info) >= 0 else { return device }
    let own = snd_pcm_info_get_name(info).map { String(cString: $0) } ?? ""
    guard let card = Self.cardName(snd_pcm_info_get_card(info)) else {
      return own.isEmpty ? device : own
    }
    return own.isEmpty ? card : "\(card), \(own)"
  }

  /// Returns a card's name, or nil if the card does not exist.
  static func cardName(_ card: Int32) -> String? {
    var name: UnsafeMutablePointer<CChar>?
    guard card >= 0, snd_card_get_name(card, &name) >= 0, let name else { return nil }
    defer { free(name) }
    return String(cString: name)
  }

  /// The sentence for a device that did not open under the name `place`.
  static func reason(
    _ status: Int32, device: String, place: String, direction: ALSADriverError.Direction
  ) -> ALSADriverError {
    switch -status {
    case EBUSY, EAGAIN:
      let place = HardwareAddress(name: place)
      let holders = ProcAsound.holders(
        card: place?.card, device: place?.device, direction: direction)
      return .busy(device: device, holders: holders)
    case EACCES, EPERM:
      return .notPermitted(device: device)
    case ECONNREFUSED, EHOSTDOWN:
      return .noServer(device: device)
    case ENOENT, ENODEV, ENXIO:
      guard ALSADevices.hasCard else { return .noCard }
      // A card that may not be opened is to alsa-lib as good as none.
      if ALSADevices.areDenied { return .notPermitted(device: device) }
      return .noSuchDevice(
        device: device, direction: direction, available: ALSADevices.names(direction))
    default:
      return .refused(device: device, step: "open", reason: message(status))
    }
  }

  /// ALSA's words for a negative status, for the brackets of a sentence.
  static func message(_ status: Int32) -> String {
    snd_strerror(status).map { String(cString: $0) } ?? "error \(-status)"
  }
}

/// The card and device that a name of the form `hw:CARD,DEV` or `hw:CARD=NAME,DEV=0` means.
struct HardwareAddress: Equatable {
  /// The card's number.
  var card: Int
  /// The device on it; nil where the name leaves it open.
  var device: Int?

  /// Reads a name; nil where it names no card that there is.
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
