// SandboxKernelTests.swift: sandboxes on kernels that lack parts of them. SPDX-License-Identifier: MIT

import CSandbox
import Foundation
import Glibc
import PluginCatalogue
import PluginLoading
import PluginModel
import RigTestSupport
import Testing

@testable import Isolation

@Suite struct `A sandbox on another kernel` {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment() }

  /// Returns a pool whose worker processes have no system calls with these numbers.
  private func pool(without calls: [String]) throws -> WorkerPool {
    let program = workshop.library.catalogue.child.executable
    let source = try workshop.write(
      """
      #include <errno.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        static const unsigned calls[] = {\(calls.joined(separator: ", "))};
        struct sock_filter code[16] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
        unsigned short used = 1;
        for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
          code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
          code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
        }
        code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        struct sock_fprog filter = {used, code};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
          return 9;
        execv("\(program)", arguments);
        return 9;
      }
      """, as: "older.c")
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["cc", "-o", workshop.path + "/older", source]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    return WorkerPool(ChildCommand(executable: workshop.path + "/older", arguments: []))
  }

  private func node(_ pool: WorkerPool) throws -> IsolatedNode {
    let path = try workshop.write(askingSource(secret: "/etc/passwd"), as: "asking.c")
    var configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true)
    configuration.sandbox = NodeSandbox()
    let node = try pool.makeNode(try workshop.library.find(path), configuration, [])
    return try #require(node.capabilities[IsolatedNode.self])
  }

  @Test func `is refused if nothing can be contained`() throws {
    let pool = try pool(without: ["444", "SYS_seccomp"])
    let error = #expect(throws: IsolationError.noSandbox(name: "asking")) { try node(pool) }
    #expect(
      error?.description
        == "asking cannot run in a sandbox, because this kernel has neither Landlock nor seccomp"
        + " filters. Use Linux 5.13 or later, or remove the sandbox.")
  }

  @Test func `says that files are not contained`() throws {
    let node = try node(try pool(without: ["444"]))
    #expect(node.sandboxParts == .calls)
    #expect(
      node.sandboxParts?.gap(of: "amp")?.hasPrefix("The sandbox of amp does not limit files")
        == true)
    #expect(ask(.socket, of: node) == EPERM)
    #expect(ask(.readSecret, of: node) == 0)
  }

  @Test func `says that the network is not contained`() throws {
    let node = try node(try pool(without: ["SYS_seccomp"]))
    #expect(node.sandboxParts == .files)
    #expect(
      node.sandboxParts?.gap(of: "amp")?.hasPrefix("The sandbox of amp limits only files") == true)
    #expect(ask(.socket, of: node) == 0)
    #expect(ask(.readSecret, of: node) == EACCES)
  }

  /// Lets the module ask for something, and returns an errno value; -1 if it did not.
  private func ask(_ request: Ask, of node: IsolatedNode) -> Int32 {
    guard (try? node.activate()) != nil else { return -1 }
    defer { node.deactivate() }
    node.setParameter(0, to: Float(request.rawValue))
    let rows = (0 ..< 4).map { _ in UnsafeMutablePointer<Float>.allocate(capacity: 64) }
    defer { rows.forEach { $0.deallocate() } }
    for row in rows { row.initialize(repeating: 0, count: 64) }
    rows.withUnsafeBufferPointer { buffers in
      if let address = buffers.baseAddress { node.step.function(node.step.context, address, 64) }
    }
    guard let results = node.capabilities.state?.save() else { return -1 }
    return Int32(results[request.rawValue])
  }
}

@Suite struct `Copies between a sandbox and its host` {
  private let workshop: RigTestEnvironment
  private var path: String { workshop.path }

  init() throws { workshop = try RigTestEnvironment() }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(path)/\(name)")
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  @Test func `leave out links of a plugin, and pipes`() throws {
    let secret = try workshop.write("secret", as: "secret.txt")
    try workshop.write("state", as: "state/state.ttl")
    try workshop.write("deep", as: "state/files/deep.wav")
    try link("state/stolen.txt", to: secret)
    try link("state/files/up", to: path)
    #expect(mkfifo("\(path)/state/pipe", 0o600) == 0)
    #expect(csandbox_copy_tree("\(path)/state", "\(path)/copy", false) == 0)
    #expect(exists("copy/state.ttl") && exists("copy/files/deep.wav"))
    #expect(!exists("copy/stolen.txt") && !exists("copy/files/up") && !exists("copy/pipe"))
    #expect(csandbox_copy_tree("\(path)/state/files/up", "\(path)/other", false) != 0)
  }

  @Test func `follow links of the user, but not in circles`() throws {
    let sample = try workshop.write("sample", as: "sample.wav")
    try workshop.write("state", as: "state/state.ttl")
    try link("state/sample.wav", to: sample)
    try link("state/gone.wav", to: "/nonexistent")
    #expect(csandbox_copy_tree("\(path)/state", "\(path)/copy", true) == 0)
    #expect(try String(contentsOfFile: "\(path)/copy/sample.wav", encoding: .utf8) == "sample")
    #expect(!exists("copy/gone.wav"))
    try link("state/again", to: ".")
    #expect(csandbox_copy_tree("\(path)/state", "\(path)/deep", true) == ELOOP)
    #expect(csandbox_copy_tree("\(path)/state", "\(path)/copy", true) == EEXIST)
    #expect(csandbox_copy_tree("\(path)/nothing", "\(path)/new", true) == ENOENT)
  }

  @Test func `replace only bundles and empty directories`() throws {
    try workshop.write("new", as: "draft/manifest.ttl")
    let draft = "\(path)/draft"
    #expect(csandbox_install_tree(draft, "\(path)/a/b/state/", true) == 0)
    #expect(exists("a/b/state/manifest.ttl"))
    #expect(csandbox_install_tree(draft, "\(path)/a/b/state", true) == 0)
    #expect(csandbox_install_tree(draft, "\(path)/a/b/state", false) == EEXIST)
    try workshop.write("mine", as: "other/notes.txt")
    #expect(csandbox_install_tree(draft, "\(path)/other", true) == EEXIST)
    #expect(exists("other/notes.txt"))
    try FileManager.default.createDirectory(
      atPath: "\(path)/empty", withIntermediateDirectories: true)
    #expect(csandbox_install_tree(draft, "\(path)/empty", false) == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(path)/a/b")
    #expect(names == ["state"])
  }
}
