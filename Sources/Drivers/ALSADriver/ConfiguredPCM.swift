// ConfiguredPCM.swift: resolves device names by alsa-lib's configuration. SPDX-License-Identifier:
// MIT

import CALSA
import Glibc
import Synchronization

/// The meaning of names that are not cards, such as `default`. [main]
///
/// alsa-lib reads its configuration once and checks only its first file again. After an edit of
/// `~/.asoundrc`, a program would have to be restarted. This type also checks the included files.
/// The default device of a sound server is managed by the server, which moves its streams itself.
enum ConfiguredPCM {
  /// Returns the configuration of a name with all references resolved; nil if there is none.
  static func text(of name: String) -> String? {
    refresh()
    var top: OpaquePointer?
    guard snd_config_update_ref(&top) >= 0, let top else { return nil }
    defer { snd_config_unref(top) }
    var definition: OpaquePointer?
    guard snd_config_search_definition(top, "pcm", name, &definition) >= 0, let definition else {
      return nil
    }
    defer { snd_config_delete(definition) }
    return text(of: definition)
  }

  private static func text(of definition: OpaquePointer) -> String? {
    var output: OpaquePointer?
    guard snd_output_buffer_open(&output) >= 0, let output else { return nil }
    defer { snd_output_close(output) }
    guard snd_config_save(definition, output) >= 0 else { return nil }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = snd_output_buffer_string(output, &bytes)
    guard let bytes else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  // MARK: - Files

  private static let known = Mutex<[String: String]?>(nil)

  /// Makes alsa-lib read its files again if one of them has changed.
  private static func refresh() {
    let now = Dictionary(
      files.map { ($0, signature(of: $0)) }, uniquingKeysWith: { first, _ in first })
    let before = known.withLock { known in
      defer { known = now }
      return known
    }
    // Devices that are being opened keep their old configuration.
    if let before, before != now { snd_config_update_free_global() }
  }

  private static var files: [String] {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let home = variable("HOME") ?? ""
    let userDirectory = variable("XDG_CONFIG_HOME") ?? "\(home)/.config"
    let first = variable("ALSA_CONFIG_PATH") ?? "/usr/share/alsa/alsa.conf"
    return first.split(separator: ":").map(String.init) + [
      "/etc/asound.conf", "/etc/alsa/conf.d", "\(home)/.asoundrc", "\(userDirectory)/alsa/asoundrc",
    ]
  }

  /// Returns a fingerprint that changes when a file is written, replaced or removed.
  private static func signature(of path: String) -> String {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return "" }
    return "\(facts.st_ino) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
  }
}
