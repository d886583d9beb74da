// AccessToken.swift: the secret that a client must have. SPDX-License-Identifier: MIT

/// A secret of a session or of a paired device.
struct AccessToken: Sendable {
  /// Shorter texts could be guessed.
  static let shortestCount = 16
  /// The longest accepted text.
  static let longestCount = 256

  /// The text, which contains only letters, digits, `-` and `_`.
  let text: String

  /// A new token of 256 bits from the random source of the kernel. [any]
  static func random() -> AccessToken {
    var source = SystemRandomNumberGenerator()
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    // 43 characters of 6 bits.
    return AccessToken(
      text: String((0 ..< 43).map { _ in alphabet[Int.random(in: 0 ..< 64, using: &source)] }))
  }

  private init(text: String) { self.text = text }

  /// A token from its text; nil if the text is too short, too long, or has other characters.
  init?(_ text: String) {
    let isLegal = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a") ... UInt8(ascii: "z"), UInt8(ascii: "A") ... UInt8(ascii: "Z"),
        UInt8(ascii: "0") ... UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isLegal, Self.shortestCount ... Self.longestCount ~= text.utf8.count else { return nil }
    self.text = text
  }

  /// The digest, which is stored and compared instead of the text.
  var digest: SHA256.Checksum { Self.digest(of: text) }

  /// Returns the digest of a text that a client has sent.
  static func digest(of text: String) -> SHA256.Checksum { SHA256.digest(text.utf8) }
}
