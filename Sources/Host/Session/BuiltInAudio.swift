// BuiltInAudio.swift: detection of built-in microphones and speakers. SPDX-License-Identifier: MIT

package import AudioDriver
import FoundationEssentials
import Glibc
import Processes

/// Reads from the kernel which built-in microphone and speaker a computer has.
package enum BuiltInAudio {
  /// The warning before such a pair is opened.
  package static let warning =
    "Built-in microphone and speaker are in use; feedback is likely. Use headphones or lower the"
    + " gain."

  /// Returns the warning if a stream connects a built-in microphone to a built-in speaker. [main]
  ///
  /// If headphones mute the speaker, its pin is off and there is no warning. The target of `default` behind a sound
  /// server is unknown; the only card is assumed if there is just one.
  package static func note(for stream: StreamDescription, root: String = "/proc") -> String? {
    let inputs = stream.inputs.compactMap { card(of: $0.device, root) }
    let outputs = stream.outputs.compactMap { card(of: $0.device, root) }
    let isAudible = inputs.contains { hasMicrophone(directory($0, root)) }
    let isPlayed = outputs.contains { hasLoudspeaker(directory($0, root)) }
    return isAudible && isPlayed ? warning : nil
  }

  private static func directory(_ card: Int, _ root: String) -> URL {
    URL(filePath: "\(root)/asound/card\(card)")
  }

  // MARK: - Which card

  /// Returns the card of a device such as `hw:1,0`, `plughw:PCH`, `sysdefault:CARD=PCH` or `default`.
  private static func card(of device: String, _ root: String) -> Int? {
    let cards = files(URL(filePath: "\(root)/asound")).compactMap { name in
      name.hasPrefix("card") ? Int(name.dropFirst(4)) : nil
    }
    guard let colon = device.firstIndex(of: ":") else { return cards.count == 1 ? cards[0] : nil }
    var name = device[device.index(after: colon)...].prefix { $0 != "," }
    if name.hasPrefix("CARD=") { name = name.dropFirst(5) }
    if let number = Int(name) { return cards.contains(number) ? number : nil }
    return cards.first { number in
      text(directory(number, root).appending(path: "id"))?.split(whereSeparator: \.isWhitespace)
        .first
        == name
    }
  }

  // MARK: - What it has

  /// Whether the card has a fixed internal microphone, or digital ones next to the codec.
  private static func hasMicrophone(_ directory: URL) -> Bool {
    let isDigital = files(directory).filter { $0.hasPrefix("pcm") && $0.hasSuffix("c") }
      .contains { text(directory.appending(path: "\($0)/info"))?.contains("DMIC") ?? false }
    return isDigital || pins(directory).contains { $0.contains("[Fixed] Mic at Int") }
  }

  /// Whether the card has a fixed speaker whose pin is on.
  private static func hasLoudspeaker(_ directory: URL) -> Bool {
    pins(directory).contains {
      $0.contains("[Fixed] Speaker at Int") && !$0.contains("Pin-ctls: 0x00")
    }
  }

  /// The sections about pins in the codec files of a card.
  private static func pins(_ directory: URL) -> [String] {
    files(directory).filter { $0.hasPrefix("codec#") }
      .compactMap { text(directory.appending(path: $0)) }
      .flatMap { $0.split(separator: "\nNode ").map(String.init) }
      .filter { $0.contains("[Pin Complex]") }
  }

  private static func files(_ directory: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }

  /// Files in /proc report no size, so read them to the end.
  private static func text(_ file: URL) -> String? {
    let descriptor = unsafe open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return String(decoding: DescriptorIO.readAll(descriptor), as: UTF8.self)
  }
}
