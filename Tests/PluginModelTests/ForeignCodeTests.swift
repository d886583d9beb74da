// ForeignCodeTests.swift: process state that foreign code changes is restored and reported. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import PluginModel
import RealtimeKit
import Testing

@Suite(.serialized) struct ForeignCodeTests {
  /// Runs a closure on a thread with a separate working directory and file mode mask.
  private func apart(_ work: @escaping @Sendable () -> Void) throws {
    let box = UnsafeMutablePointer<@Sendable () -> Void>.allocate(capacity: 1)
    box.initialize(to: work)
    defer {
      box.deinitialize(count: 1)
      box.deallocate()
    }
    try RealtimeThread(priority: 0, entry: workApart, context: box).join()
  }

  private func directory() -> String {
    guard let name = getcwd(nil, 0) else { return "" }
    defer { free(name) }
    return String(cString: name)
  }

  @Test func `the directory and the mask of file modes`() throws {
    try apart {
      let before = directory()
      ForeignCode.call(ForeignCode.Owner("mover"), .quick("process")) {
        chdir("/")
        umask(0o123)
      }
      #expect(directory() == before)
      let mask = umask(0o022)
      umask(mask)
      #expect(mask != 0o123)
    }
    let changes = ForeignCode.changes(by: "mover").text
    #expect(changes == "the working directory and the file mode mask (umask)")
    #expect(
      ForeignCode.takeNotices(by: ["mover"]).map { "\($0)" } == [
        "mover changes the working directory and the file mode mask (umask) of the whole process."
          + " Outboard restores the previous state after each call."
      ])
  }

  // In a separate process, because the locale belongs to all threads.
  @Test func `a plugin is named once for each change`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0 ..< 3 {
        ForeignCode.call(ForeignCode.Owner("liar"), .quick("process")) {
          _ = setlocale(LC_ALL, "C.UTF-8")
        }
      }
      #expect(String(cString: setlocale(LC_ALL, nil)) == "C")
      let remarks = ForeignCode.takeNotices(by: ["liar"]).map { "\($0)" }
      #expect(remarks.count == 1 && remarks[0].hasPrefix("liar changes the locale of "))
      ForeignCode.call(ForeignCode.Owner("liar"), .quick("process")) { _ = fesetround(upward) }
      #expect(fegetround() == 0)
      #expect(ForeignCode.takeNotices(by: ["liar"]).count == 1)
    }
  }

  // In a separate process, because other tests call plugins at the same time.
  @Test func `a call saves signals and limits, and arms a timer that would end the process`() async
  {
    await #expect(processExitsWith: .success) {
      ForeignCode.call(ForeignCode.Owner("bully"), .quick("process")) {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        signal(SIGTTOU, SIG_IGN)
        alarm(1_000)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_cur == 0 ? 0 : limit.rlim_cur / 2
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      }
      var action = sigaction()
      sigaction(SIGTTOU, nil, &action)
      #expect(action.__sigaction_handler.sa_handler == nil)
      #expect(alarm(0) == 0)
      let words = ForeignCode.changes(by: "bully").text
      #expect(words.contains("signal handlers") && words.contains("a timer that ends the process"))
    }
  }

  @Test func `a server that ignores SIGPIPE during a call is not undone`() async {
    await #expect(processExitsWith: .success) {
      ForeignCode.call(ForeignCode.Owner("busy"), .quick("process")) {
        _ = signal(SIGPIPE, SIG_IGN)
      }
      var action = sigaction()
      sigaction(SIGPIPE, nil, &action)
      #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1)
      #expect(ForeignCode.changes(by: "busy").isEmpty)
    }
  }

  @Test func `an error of the call is thrown after the state is restored`() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try ForeignCode.call(ForeignCode.Owner("thrower"), .quick("process")) {
        _ = fesetround(upward)
        throw Failure()
      }
    }
    #expect(fegetround() == 0)
  }
}

private func workApart(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  crealtime_separate_directory()
  context?.assumingMemoryBound(to: (@Sendable () -> Void).self).pointee()
  return nil
}

// FE_UPWARD, which is ambiguous in Swift.
#if arch(x86_64)
private let upward: Int32 = 0x800
#else
private let upward: Int32 = 0x40_0000
#endif
