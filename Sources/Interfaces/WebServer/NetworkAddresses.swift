// NetworkAddresses.swift: the addresses under which other devices reach this machine. SPDX-License-Identifier: MIT

import Glibc

/// The IPv4 addresses of this machine.
package enum NetworkAddresses {
  /// The addresses of interfaces that are up, without loopback. [any]
  package static var all: [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var found: [String] = []
    var next = unsafe list
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ifa_next
      let flags = unsafe Int32(bitPattern: entry.ifa_flags)
      guard let address = unsafe entry.ifa_addr,
        unsafe address.pointee.sa_family == sa_family_t(AF_INET),
        flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0
      else { continue }
      var buffer = [CChar](repeating: 0, count: 64)
      let text = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        var number = unsafe pointer.pointee.sin_addr
        unsafe inet_ntop(AF_INET, &number, &buffer, socklen_t(buffer.count))
        return String(
          decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
      if !found.contains(text) { found.append(text) }
    }
    return found
  }
}
