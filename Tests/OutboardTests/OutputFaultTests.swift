// OutputFaultTests.swift: files that cannot be written. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Output files` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  private func refuses(_ output: String, says message: String) throws {
    try expectFailure(
      ["render", "outboard.gain", "-i", "in.wav", "-o", output], in: scratch, message)
  }

  @Test func `an existing file is not replaced without --force`() throws {
    try scratch.write("precious", to: "out.wav")
    try refuses(
      "out.wav",
      says: "out.wav already exists. Choose another name or overwrite it with --force.")
    #expect(try scratch.data("out.wav") == Data("precious".utf8))
    let result = try Program.run(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "out.wav", "--force"], in: scratch)
    #expect(result.status == 0)
    #expect(scratch.samples("out.wav") != nil)
  }

  @Test func `the directory must exist`() throws {
    try refuses(
      "none/out.wav", says: "none/out.wav cannot be written: no such directory: none.")
    try refuses(
      "in.wav/out.wav", says: "in.wav/out.wav cannot be written: in.wav is a file, not a directory."
    )
  }

  @Test func `a directory that accepts no files is reported with the system's reason`() throws {
    // Not even root can create files there.
    try refuses(
      "/proc/out.wav",
      says: "/proc/out.wav cannot be written: the directory /proc does not accept new files (no "
        + "such file or"
        + " directory).")
  }

  @Test(arguments: ["in.wav", "in.wav other.wav"])
  func `a directory that may not be created is reported with its parent`(inputs: String) throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path("ro"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o555])
    // Root may write everywhere, unless it gives up this capability.
    let result = try Program.shell(
      "[ $(id -u) != 0 ] || drop='setpriv --bounding-set=-dac_override';"
        + "$drop \"$OUTBOARD\" render gain \(inputs) -o ro/new/", in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error == "outboard: ro/new/ cannot be written: the directory ro does not accept new"
        + " files (permission denied).\n")
  }

  @Test func `a directory is not overwritten, not even with --force`() throws {
    try expectFailure(
      ["render", "outboard.oscillator", "--duration", "1", "-o", "home", "--container", "wav"]
        + ["--force"],
      in: scratch, "home is a directory. Give the path of an audio file.")
  }

  @Test func `a device or a pipe is not replaced, not even with --force`() throws {
    #expect(mkfifo(scratch.path("pipe.wav"), 0o600) == 0)
    try expectFailure(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "pipe.wav", "--force"], in: scratch,
      "pipe.wav is a device or a pipe and cannot be replaced by a file. Use -o - and"
        + " redirect standard output to it.")
    var status = stat()
    #expect(stat(scratch.path("pipe.wav"), &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a symbolic link remains, and its target is written`() throws {
    try scratch.write("old", to: "real.wav")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link.wav"), withDestinationPath: "real.wav")
    try refuses(
      "link.wav",
      says: "link.wav already exists. Choose another name or overwrite it with --force.")
    let result = try Program.run(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "link.wav", "--force"], in: scratch)
    #expect(result.status == 0)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: scratch.path("link.wav"))
        == "real.wav")
    #expect(scratch.samples("real.wav") != nil)
  }

  @Test func `a link without a target counts as existing`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link.wav"), withDestinationPath: "nowhere.wav")
    try refuses(
      "link.wav",
      says: "link.wav already exists. Choose another name or overwrite it with --force.")
  }

  @Test func `the extension must name a file format`() throws {
    try refuses(
      "out.mp5",
      says: "out.mp5 cannot be written: its extension is not one of .wav, .flac,"
        + " .ogg, .oga, .opus, .mp3, .aiff, .aif, .caf, .au or .raw.")
  }

  @Test func `an encoding that the file format lacks is refused`() throws {
    try expectFailure(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "out.ogg", "--format", "s24"], in: scratch,
      "out.ogg cannot hold s24 samples: Ogg Vorbis offers no choice of sample format.")
  }

  @Test func `a full disk is an error and creates no file`() throws {
    // No file may pass 64 KiB (a block of the shell's limit is 512 bytes); that signal is ignored,
    // so that the write fails as on a full disk.
    try scratch.addTone("long.wav", frames: 96_000)
    let result = try Program.shell(
      "trap '' XFSZ; ulimit -f 128;"
        + " exec \"$OUTBOARD\" render outboard.gain -i long.wav -o out.wav",
      in: scratch)
    #expect(result.status == 1)
    #expect(result.error.hasPrefix("outboard: Writing out.wav failed at "))
    #expect(result.error.hasSuffix(" s: file too large.\n"))
    #expect(try scratch.files() == ["in.wav", "long.wav"])
  }

  @Test(.enabled(if: FullDisk.isPossible, "a small file system can be mounted"))
  func `the message says that the disk is full`() throws {
    let disk = try FullDisk(at: scratch.path("disk"))
    try scratch.addTone("long.wav", frames: 480_000)
    let result = try Program.run(
      ["render", "outboard.gain", "-i", "long.wav", "-o", "disk/out.wav"], in: scratch)
    #expect(result.status == 1)
    #expect(
      result.error.hasPrefix(
        "outboard: The disk is full: disk/out.wav stopped at "))
    #expect(result.error.hasSuffix(" s and was removed.\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
  }

  @Test(.enabled(if: FullDisk.isPossible, "a small file system can be mounted"))
  func `a full disk keeps the file to be replaced, and reports the error`() throws {
    let disk = try FullDisk(at: scratch.path("disk"))
    try scratch.addTone("long.wav", frames: 480_000)
    try scratch.write("precious", to: "disk/out.wav")
    let result = try Program.run(
      ["render", "outboard.gain", "-i", "long.wav", "-o", "disk/out.wav", "--force"], in: scratch)
    #expect(result.status == 1)
    #expect(
      result.error.hasSuffix(" s. The previous file is unchanged.\n"), "\(result.error)")
    #expect(try String(decoding: scratch.data("disk/out.wav"), as: UTF8.self) == "precious")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["out.wav"])
  }

  @Test func `a full standard output is an error`() throws {
    let result = try Program.shell("\"$OUTBOARD\" list > /dev/full", in: scratch)
    #expect(result.status == 1)
    #expect(
      result.error == "outboard: Cannot write to standard output: No space left on device. The"
        + " output is incomplete.\n")
  }

  @Test func `closed standard streams do not end up in the file`() throws {
    let result = try Program.shell(
      "exec \"$OUTBOARD\" render outboard.gain -i in.wav -o out.wav --tail 0 <&- >&- 2>&-",
      in: scratch)
    // Its printed output is lost, but the file is complete.
    #expect(result.status == 1)
    #expect(scratch.samples("out.wav") == scratch.samples("in.wav"))
  }

  @Test(arguments: [
    "list", "--help", "--version", "help run", "info outboard.gain", "validate outboard.gain",
    "render outboard.gain -i in.wav -o -", "analyse in.wav", "preset list outboard.limiter",
    "run outboard.gain --out dummy --duration 0.1 --events json",
    "run outboard.gain --out dummy --duration 0.1 --json",
  ])
  func `a file that cannot be written is an error`(command: String) throws {
    for output in ["> /dev/full", ">&-"] {
      let result = try Program.shell("exec \"$OUTBOARD\" \(command) \(output)", in: scratch)
      #expect(result.status == 1, "\(command) \(output): \(result.error)")
      #expect(result.error.contains("tandard output"), "\(command) \(output): \(result.error)")
    }
  }

  @Test func `an error that cannot be written to standard output goes to standard error`() throws {
    let result = try Program.shell(
      "exec \"$OUTBOARD\" info nothing.at-all --json > /dev/full", in: scratch)
    #expect(result.status == 2)
    #expect(result.error.hasPrefix("outboard: No such plugin: "), "\(result.error)")
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
  }

  @Test func `a lost result with a status is reported`() throws {
    let result = try Program.shell("exec \"$OUTBOARD\" doctor > /dev/full", in: scratch)
    #expect(result.status == 1)
    #expect(
      result.error.hasPrefix("outboard: Cannot write to standard output: "), "\(result.error)")
  }

  @Test func `a recording that does not fit makes the run fail`() throws {
    let result = try Program.shell(
      "trap '' XFSZ; ulimit -f 128; exec \"$OUTBOARD\" run outboard.oscillator --out dummy"
        + " --record take.wav --duration 3",
      in: scratch)
    #expect(result.status == 1, "\(result.error)")
    #expect(
      result.error.hasSuffix(
        "take.wav is incomplete. See the messages above.\n"
      ),
      "\(result.error)")
  }
}
