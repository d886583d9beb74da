// BuiltInAudio.swift: whether a machine would hear itself. SPDX-License-Identifier: MIT

package import AudioDriver
import FoundationEssentials
import Glibc
import Processes

/// What the kernel says of a machine's own microphone and loudspeaker.
package enum BuiltInAudio {
  /// What is said before such a pair is opened.
  package static let warning =
    "Built-in microphone and speaker are in use; feedback is likely. Use headphones or lower the"
    + " gain."

  /// The warning, where a stream goes from a built-in microphone to a built-in loudspeaker. [main]
  ///
  /// Headphones are heeded: where they silence the loudspeaker, its pin is off. What a sound server
  /// makes of `default` is not known; it is taken for the machine's only card, if it has but one.
  package static func note(for stream: StreamDescription, root: String = "/proc") -> String? {
    let inputs = stream.inputs.compactMap { card(of: $0.device, root) }
    let outputs = stream.outputs.compactMap { card(of: $0.device, root) }
    let isHeard = inputs.contains { hasMicrophone(folder($0, root)) }
    let isPlayed = outputs.contains { hasLoudspeaker(folder($0, root)) }
    return isHeard && isPlayed ? warning : nil
  }

  private static func folder(_ card: Int, _ root: String) -> URL {
    URL(filePath: "\(root)/asound/card\(card)")
  }

  // MARK: - Which card

  /// The card of a device such as `hw:1,0`, `plughw:PCH`, `sysdefault:CARD=PCH` or `default`.
  private static func card(of device: String, _ root: String) -> Int? {
    let cards = files(URL(filePath: "\(root)/asound")).compactMap { name in
      name.hasPrefix("card") ? Int(name.dropFirst(4)) : nil
    }
    guard let colon = device.firstIndex(of: ":") else { return cards.count == 1 ? cards[0] : nil }
    var name = device[device.index(after: colon)...].prefix { $0 != "," }
    if name.hasPrefix("CARD=") { name = name.dropFirst(5) }
    if let number = Int(name) { return cards.contains(number) ? number : nil }
    return cards.first { number in
      text(folder(number, root).appending(path: "id"))?.split(whereSeparator: \.isWhitespace).first
        == name
    }
  }

  // MARK: - What it has

  /// A fixed microphone inside, or digital ones beside the codec.
  private static func hasMicrophone(_ folder: URL) -> Bool {
    let isDigital = files(folder).filter { $0.hasPrefix("pcm") && $0.hasSuffix("c") }
      .contains { text(folder.appending(path: "\($0)/info"))?.contains("DMIC") ?? false }
    return isDigital || pins(folder).contains { $0.contains("[Fixed] Mic at Int") }
  }

  /// A fixed loudspeaker whose pin is not off.
  private static func hasLoudspeaker(_ folder: URL) -> Bool {
    pins(folder).contains {
      $0.contains("[Fixed] Speaker at Int") && !$0.contains("Pin-ctls: 0x00")
    }
  }

  /// The paragraphs about the pins of a card's codecs.
  private static func pins(_ folder: URL) -> [String] {
    files(folder).filter { $0.hasPrefix("codec#") }
      .compactMap { text(folder.appending(path: $0)) }
      .flatMap { $0.split(separator: "\nNode ").map(String.init) }
      .filter { $0.contains("[Pin Complex]") }
  }

  private static func files(_ folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// Files of /proc tell no size, so they are read to the end.
  private static func text(_ file: URL) -> String? {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return String(decoding: DescriptorIO.readAll(descriptor), as: UTF8.self)
  }
}
