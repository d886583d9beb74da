// ListenAddress.swift: where a server listens. SPDX-License-Identifier: MIT

import Glibc

/// The argument of an option that opens a port, such as `--http`.
package struct ListenAddress: Sendable, Equatable {
  /// The word for this machine only.
  package static let loopbackWord = "loopback"
  /// The word for all addresses.
  package static let lanWord = "lan"

  /// The option.
  package let option: PortOption
  /// A literal IPv4 or IPv6 address.
  package let host: String
  /// The port; nil for the default port or the next free one.
  package let port: Int?

  /// Whether only programs of this machine can connect.
  package var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }
  /// Whether the address means every address of this machine.
  var isEveryAddress: Bool { host == "0.0.0.0" || host == "::" }

  /// Parses the argument: `loopback`, `lan`, a port, a literal address, or `ADDRESS:PORT`. [any]
  ///
  /// - Throws: `ListenError`: it is not an address, or not a port.
  package init(_ text: String, for option: PortOption = .http) throws(ListenError) {
    self.option = option
    if !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }) {
      (host, port) = ("127.0.0.1", try Self.port(text, option))
      return
    }
    let (name, rest) = try Self.parts(text, option)
    switch name {
    case Self.loopbackWord, "localhost": host = "127.0.0.1"
    case Self.lanWord: host = "0.0.0.0"
    default:
      guard let literal = LiteralAddress(name) else {
        throw ListenError(option, .notAnAddress(text))
      }
      host = literal.text
    }
    port = try rest.map { (text) throws(ListenError) in try Self.port(text, option) }
  }

  private static func port(_ text: String, _ option: PortOption) throws(ListenError) -> Int {
    guard let port = Int(text), 1 ... 65_535 ~= port else {
      throw ListenError(option, .notAPort(text))
    }
    return port
  }

  /// Separates `ADDRESS:PORT` and `[ADDRESS]:PORT`.
  private static func parts(
    _ text: String, _ option: PortOption
  ) throws(ListenError) -> (host: String, port: String?) {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      let rest = text[text.index(after: end)...]
      let host = String(text[text.index(after: text.startIndex) ..< end])
      if rest.isEmpty { return (host, nil) }
      guard rest.hasPrefix(":") else { throw ListenError(option, .notAnAddress(text)) }
      return (host, String(rest.dropFirst()))
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return (text, nil) }
    return (String(parts[0]), String(parts[1]))
  }

  /// Returns a host as it is part of a URL, with the port.
  package static func authority(_ host: String, _ port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// An IPv4 or IPv6 address in its usual spelling.
struct LiteralAddress: Equatable {
  /// The address as the system spells it.
  let text: String
  /// Whether the address is an IPv6 address.
  let isIPv6: Bool

  /// Parses an address; nil for a name.
  init?(_ text: String) {
    var buffer = [CChar](repeating: 0, count: 64)
    var (short, long) = (in_addr(), in6_addr())
    if unsafe inet_pton(AF_INET, text, &short) == 1 {
      isIPv6 = false
      unsafe inet_ntop(AF_INET, &short, &buffer, socklen_t(buffer.count))
    } else if unsafe inet_pton(AF_INET6, text, &long) == 1 {
      isIPv6 = true
      unsafe inet_ntop(AF_INET6, &long, &buffer, socklen_t(buffer.count))
    } else {
      return nil
    }
    self.text = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
