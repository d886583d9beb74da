// SlowDisk.swift: a disk with a limited rate. SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A file system in memory, on a block device whose write rate is limited; removed with its last
/// reference.
///
/// Its image is in memory because the machine's own disk can stall for seconds. Only the limit
/// decides when written data has arrived.
final class SlowDisk {
  let path: String
  /// The file system in memory that contains the image.
  private let memory: String
  private let image: String
  /// The path of the limit, in the format of the control group version in use.
  private let control: String
  private let spelling: (String) -> String

  /// Why it is not possible here: it needs root, a loop device, and control groups that limit disks.
  static let obstacle: String? = {
    let path = NSTemporaryDirectory() + "outboard-disk-\(UUID().uuidString)"
    do {
      let disk = try SlowDisk(at: path, megabytes: 8)
      try disk.limit(bytesPerSecond: 1 << 20)
      return nil
    } catch {
      return "\(error)"
    }
  }()

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(at path: String, megabytes: Int) throws {
    self.path = path
    memory = path + ".memory"
    image = memory + "/image"
    for folder in [path, memory] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    do {
      try Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=\(megabytes + 8)m", "outboard", memory)
      try Self.run("/sbin/mkfs.ext4", "-q", "-F", image, "\(megabytes)M")
      try Self.run("/bin/mount", "-o", "loop", image, path)
    } catch {
      Self.remove([path, memory])
      throw error
    }
    var facts = stat()
    stat(path, &facts)
    let device = "\(facts.st_dev >> 8 & 0xfff):\(facts.st_dev & 0xff)"
    let groups = try String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: ":", maxSplits: 2) }
    let old = groups.first { $0.count == 3 && $0[1].split(separator: ",").contains("blkio") }
    if let old {
      control = "/sys/fs/cgroup/blkio\(old[2])/blkio.throttle.write_bps_device"
      spelling = { "\(device) \($0 == "max" ? "0" : $0)" }
    } else {
      control = "/sys/fs/cgroup\(groups.first?.last ?? "")/io.max"
      spelling = { "\(device) wbps=\($0)" }
    }
  }

  deinit {
    try? limit(bytesPerSecond: nil)
    // No process writes to it any more, and its content is never read again.
    Self.remove([path, memory])
  }

  /// Removes folders, and the file systems that are mounted on them.
  private static func remove(_ folders: [String]) {
    for folder in folders {
      umount2(folder, Int32(MNT_DETACH))
      rmdir(folder)
    }
  }

  /// Limits the write rate from now on; nil removes the limit.
  func limit(bytesPerSecond: Int?) throws {
    let line = spelling(bytesPerSecond.map(String.init) ?? "max")
    let file = open(control, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    guard file >= 0, write(file, line, line.utf8.count) == line.utf8.count else {
      throw Failure(
        description: "\(control) cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  private static func run(_ program: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(program) failed with \(process.terminationStatus)")
    }
  }
}
