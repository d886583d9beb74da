// RequestOrigin.swift: which web pages may send requests. SPDX-License-Identifier: MIT

/// Checks the headers that browsers set, which a page of another site cannot change.
///
/// A page on the Internet can send requests to this machine, and with DNS rebinding even read the answers. The `Host`
/// header of such a request has the name of the page's site, so names outside of the local network are refused.
package enum RequestOrigin {
  /// Returns why a request with the values of all its `Host` and `Origin` headers is refused; nil if it is accepted.
  /// [any]
  package static func refusal(hosts: [String], origins: [String]) -> String? {
    guard hosts.count == 1, let host = hosts.first, isLocal(host) else {
      return "This host name is not accepted. Use the address of the machine, localhost, or a name"
        + " that ends with .local."
    }
    guard origins.count <= 1 else { return "A request can have only one Origin header." }
    guard let origin = origins.first else { return nil }
    let isSame = ["http://", "https://"].contains { origin.lowercased() == $0 + host.lowercased() }
    return isSame ? nil : "Pages of other sites may not control this session."
  }

  /// Whether a `Host` header has a literal address, `localhost`, or a name that ends with `.local`.
  static func isLocal(_ header: String) -> Bool {
    guard let name = hostName(header)?.lowercased() else { return false }
    if LiteralAddress(name) != nil || name == "localhost" { return true }
    guard name.hasSuffix(".local") else { return false }
    return name.dropLast(6).utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a") ... UInt8(ascii: "z"), UInt8(ascii: "0") ... UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    } && name.count > 6
  }

  /// Returns the host without brackets and port; nil if the header has another form.
  private static func hostName(_ header: String) -> String? {
    var (host, rest): (Substring, Substring)
    if header.hasPrefix("["), let end = header.firstIndex(of: "]") {
      host = header[header.index(after: header.startIndex) ..< end]
      rest = header[header.index(after: end)...]
      guard host.contains(":") else { return nil }
    } else {
      let colon = header.firstIndex(of: ":") ?? header.endIndex
      (host, rest) = (header[..<colon], header[colon...])
    }
    if rest.first == ":" {
      rest = rest.dropFirst()
      guard let port = Int(rest), 1 ... 65_535 ~= port else { return nil }
    } else if !rest.isEmpty {
      return nil
    }
    return String(host)
  }
}
