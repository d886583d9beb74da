// TemporaryDirectory.swift: a directory in which the program is run. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import LV2Fixtures

/// A directory with a home, only requested LV2 plugins, and only the shipped modules; removed with
/// its last reference.
final class TemporaryDirectory: Sendable {
  let directory: URL
  /// The whole environment of the program.
  let environment: [String: String]

  init(lv2: String? = nil, modules: String? = nil) throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "outboard-tests-\(UUID().uuidString)").resolvingSymlinksInPath()
    for name in ["home", "nothing"] {
      try FileManager.default.createDirectory(
        at: directory.appending(path: name), withIntermediateDirectories: true)
    }
    let own = ProcessInfo.processInfo.environment
    var environment = [
      "HOME": directory.path + "/home", "XDG_RUNTIME_DIR": directory.path + "/home",
      "XDG_CACHE_HOME": directory.path + "/home/cache",
      "PATH": own["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "OUTBOARD": Program.url.path,
      "LV2_PATH": lv2 ?? directory.path + "/nothing", "SWIFT_BACKTRACE": "enable=no",
    ]
    environment["OUTBOARD_MODULE_PATH"] = modules
    environment["LD_LIBRARY_PATH"] = own["LD_LIBRARY_PATH"]
    self.environment = environment
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func path(_ name: String) -> String { directory.appending(path: name).path }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The size of a file in bytes; 0 if it does not exist.
  func size(_ name: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: path(name))
    return (facts?[.size] as? Int) ?? 0
  }

  func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path(name)))
  }

  /// Files other than those of every test directory.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { !["home", "nothing"].contains($0) }.sorted()
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let url = directory.appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
    return name
  }

  func write(_ data: Data, to name: String) throws {
    try data.write(to: directory.appending(path: name))
  }

  /// Copies a fixture's library and a manifest into the directory.
  func addModule(
    _ name: String, fixture: String? = nil, display: String? = nil, channels: Int = 2,
    directory place: String = ".", more: String = ""
  ) throws {
    try write(
      """
      abi: 1
      id: test.\(name)
      name: \(display ?? name)
      vendor: Tests
      license: MIT
      category: Test
      inputs: \(channels)
      outputs: \(channels)
      \(more)
      """, to: "\(place)/\(name).yaml")
    guard let fixture else { return }
    try FileManager.default.copyItem(
      atPath: try Fixture.compile(fixture), toPath: path("\(place)/\(name).so"))
  }

  // MARK: - Audio

  /// A float file of a quiet tone, different on each channel.
  @discardableResult
  func addTone(
    _ name: String = "in.wav", channels: Int = 2, frames: Int = 4_800, rate: UInt32 = 48_000
  ) throws -> [[Float]] {
    let samples = (0 ..< channels).map { channel in
      (0 ..< frames).map { frame -> Float in
        let phase = Float(frame) * 0.03 * Float(channel % 8 + 1)
        return 0.4 * sin(phase) + (frame == 10 ? 0.3 : 0)
      }
    }
    try FloatWave(channels: samples, sampleRateHz: rate).write(to: path(name))
    return samples
  }

  /// Writes a file of integer samples without a pattern, and returns them.
  @discardableResult
  func addNoise(_ name: String, bytesPerSample: Int, frames: Int = 4_800) throws -> Data {
    var state: UInt32 = 1
    let samples = Data(
      (0 ..< frames * 2 * bytesPerSample).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(state >> 24)
      })
    var file = Data("RIFF".utf8)
    func add(_ value: UInt32) {
      withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
    }
    let frameBytes = UInt32(2 * bytesPerSample)
    add(36 + UInt32(samples.count))
    file += Data("WAVEfmt ".utf8)
    add(16)
    add(1 | 2 << 16)
    add(48_000)
    add(48_000 * frameBytes)
    add(frameBytes | UInt32(8 * bytesPerSample) << 16)
    file += Data("data".utf8)
    add(UInt32(samples.count))
    try write(file + samples, to: name)
    return samples
  }

  /// The bytes of the samples in a WAV file.
  func waveData(_ name: String) throws -> Data {
    let file = try data(name)
    var offset = 12
    while offset + 8 <= file.count {
      let size = (0 ..< 4).reduce(0) { $0 | Int(file[offset + 4 + $1]) << (8 * $1) }
      let begin = offset + 8
      if file[offset ..< offset + 4] == Data("data".utf8) {
        return Data(file[begin ..< min(begin + size, file.count)])
      }
      offset = begin + size + size % 2
    }
    return Data()
  }

  /// Returns the content of a float file.
  func samples(_ name: String) -> [[Float]]? { FloatWave(path: path(name))?.channels }
}
