// ControlTrustTests.swift: other users who imitate or contact a session. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Testing

@testable import Control

@Suite final class `Another user`: Sendable {
  private static let nobody: uid_t = 65_534
  private let home: RuntimeDirectory
  private var environment: [String: String] { home.environment }
  private var directory: String { home.path }

  init() throws { home = try RuntimeDirectory() }

  private var own: String { directory + "/outboard" }

  private func listen() throws -> UnixSocket {
    try UnixSocket.listen(at: SocketDirectory.socket("voice", in: own)).get()
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory to another user"))
  func `a directory of another user is refused`() throws {
    try SocketDirectory.prepare(own)
    let otherUser = try listen()
    #expect(chmod(directory, 0o1777) == 0)
    #expect(chown(own, Self.nobody, Self.nobody) == 0)
    let remark = "\(own) is ignored because it belongs to another user."
    let search = RunSearch(environment)
    #expect(search.names.isEmpty)
    #expect(search.remarks == [remark])
    #expect(throws: ControlError.untrusted(remark: remark)) {
      try ControlClient(run: nil, environment: environment)
    }
    #expect(
      throws: ControlError.unusableDirectory(path: own, reason: "it belongs to another user")
    ) { try Run("voice", environment) { _ in nil } }
    _ = otherUser
  }

  @Test(arguments: [0o770, 0o707, 0o777] as [mode_t])
  func `a directory that others can write to is refused`(mode: mode_t) throws {
    try SocketDirectory.prepare(own)
    let socket = try listen()
    #expect(chmod(own, mode) == 0)
    let reason = "other users can write to it (`chmod go-w \(own)` forbids it)"
    #expect(RunSearch(environment).names.isEmpty)
    #expect(throws: ControlError.untrusted(remark: "\(own) is ignored because \(reason).")) {
      try ControlClient(run: "voice", environment: environment)
    }
    #expect(throws: ControlError.unusableDirectory(path: own, reason: reason)) {
      try Run("voice", environment) { _ in nil }
    }
    #expect(chmod(own, 0o700) == 0)
    #expect(RunSearch(environment).names == ["voice"])
    _ = socket
  }

  @Test func `a link in place of the directory is refused`() throws {
    let real = directory + "/real"
    try SocketDirectory.prepare(real)
    let socket = try UnixSocket.listen(at: SocketDirectory.socket("voice", in: real)).get()
    try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: real)
    let search = RunSearch(environment)
    #expect(search.names.isEmpty)
    #expect(search.remarks == ["\(own) is ignored because it is not a directory."])
    _ = socket
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can start a process of another user"),
    .enabled(if: access("/usr/bin/perl", X_OK) == 0, "perl starts the other user's process"))
  func `a request of another user is refused`() throws {
    let run = try Run("voice", environment) { _ in Reply(notes: ["done"]) }
    defer { run.stop() }
    // The kernel lets the other user reach the socket, so the session itself must refuse.
    let path = SocketDirectory.socket("voice", in: own)
    for place in [directory, own] { #expect(chmod(place, 0o755) == 0) }
    #expect(chmod(path, 0o777) == 0)
    let request = #"{"command": "status"}"#
    let answer = try Self.answer(as: Self.nobody, to: request, at: path)
    #expect(
      answer.contains(
        "This session belongs to another user. Only that user and root can control it."))
    #expect(try Self.answer(as: 0, to: request, at: path).contains("done"))
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can start a process of another user"),
    .enabled(if: access("/usr/bin/perl", X_OK) == 0, "perl starts the other user's process"))
  func `a process of another user at a socket in our own directory is recognised`() throws {
    try SocketDirectory.prepare(own)
    // The directory belongs to the other user only while the socket is created.
    #expect(chown(own, Self.nobody, Self.nobody) == 0)
    #expect(chmod(directory, 0o755) == 0)
    let path = SocketDirectory.socket("voice", in: own)
    let otherUser = Process()
    otherUser.executableURL = URL(fileURLWithPath: "/usr/bin/perl")
    otherUser.arguments = [
      "-MSocket", "-e",
      "$) = $( = shift; $> = $< = $(; socket(S, AF_UNIX, SOCK_STREAM, 0);"
        + "bind(S, pack_sockaddr_un(shift)) or die; listen(S, 8); $| = 1; print qq(x); sleep 1000",
      "\(Self.nobody)", path,
    ]
    let output = Pipe()
    otherUser.standardOutput = output
    try otherUser.run()
    defer {
      kill(otherUser.processIdentifier, SIGKILL)
      otherUser.waitUntilExit()
    }
    #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("x".utf8))
    #expect(chown(own, 0, 0) == 0)
    let search = RunSearch(environment)
    #expect(search.names.isEmpty)
    #expect(
      search.remarks == ["\(path) is ignored because a process of user \(Self.nobody) uses it."])
  }

  private static func answer(as user: uid_t, to request: String, at path: String) throws -> String {
    let caller = Process()
    caller.executableURL = URL(fileURLWithPath: "/usr/bin/perl")
    caller.arguments = [
      "-MSocket", "-e",
      "$) = $( = shift; $> = $< = $(; $SIG{PIPE} = q(IGNORE); socket(S, AF_UNIX, SOCK_STREAM, 0);"
        + "connect(S, pack_sockaddr_un(shift)) or die; syswrite(S, shift . qq(\\n)); print scalar <S>",
      "\(user)", path, request,
    ]
    let output = Pipe()
    caller.standardOutput = output
    try caller.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    caller.waitUntilExit()
    return String(decoding: answer, as: UTF8.self)
  }

  @Test func `a service's directory is trusted only if only root can write to it`() throws {
    // Everybody trusts root's directories.
    #expect(DirectoryTrust(of: "/etc", for: 1_000).fault == nil)
    #expect(
      DirectoryTrust(of: "/tmp", for: 1_000).fault?.hasPrefix("other users can write to it") == true
    )
    #expect(DirectoryTrust(of: "/nonexistent", for: 1_000).fault == "No such file or directory")
  }

  @Test func `a path with a NUL character is refused`() {
    guard case .failure(let fault) = UnixSocket.listen(at: directory + "/a\0b.sock") else {
      Issue.record("listens")
      return
    }
    #expect(fault.number == EINVAL)
    #expect(!FileManager.default.fileExists(atPath: directory + "/a"))
    guard case .failure(let other) = UnixSocket.connect(to: directory + "/a\0b", seconds: 1) else {
      Issue.record("connects")
      return
    }
    #expect(other.number == EINVAL)
  }
}
