// TerminationSignals.swift: Ctrl-C and its like, as something to wait for. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
import RealtimeKit
import Synchronization

/// SIGINT, SIGTERM and SIGHUP, which ask for the end; SIGHUP may also ask for the rig's file to be read again.
///
/// They are blocked for all threads made afterwards and taken by one that does nothing else, so no
/// handler runs at an awkward moment. A second one ends the program at once, whatever it is doing: a
/// plugin that never comes back holds nobody. One that is ignored stays so: `nohup` and shells that
/// start a job in the background mean it.
final class TerminationSignals: Sendable {
  private let raised = Atomic<Bool>(false)
  private let awaited = Atomic<Bool>(false)
  private let reloads = Atomic<Bool>(false)
  private let arrival = DispatchSemaphore(value: 0)
  private let takesReloads: Bool
  private let terminal: HangUp

  private let seen = Atomic<Bool>(false)
  /// How long the main thread may take to notice the signal before the program ends without it.
  private static let noticeSeconds = 5.0

  /// Whether the end was asked for. [any]
  var isRaised: Bool {
    let isRaised = raised.load(ordering: .acquiring)
    if isRaised { seen.store(true, ordering: .releasing) }
    return isRaised
  }

  /// Whether a reload was asked for since the last call. [main]
  func takeReload() -> Bool { reloads.exchange(false, ordering: .acquiring) }

  /// From here on the end is awaited, and comes in good order; before that it comes at once. [main]
  func begin() { awaited.store(true, ordering: .releasing) }

  /// Blocks the signals; made before any other thread, which would take them else: whoever calls a
  /// compiler has some. [main]
  ///
  /// - Parameter takesReloads: whether SIGHUP asks for a reload, unless the terminal was hung up.
  init(takesReloads: Bool = false) {
    self.takesReloads = takesReloads
    terminal = HangUp()
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(signal) {
      sigaddset(&signals, signal)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // Holds this object for good, which lives as long as the program anyway.
    _ = DetachedThread.start { [signals] in self.take(signals) }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler
    else { return false }
    // SIG_IGN, a macro with a cast.
    return unsafeBitCast(handler, to: Int.self) == 1
  }

  /// Ends a wait early, for something else than the end. [any]
  func wake() { arrival.signal() }

  /// Waits until the end is asked for, someone wakes it, or for so long. [main]
  func wait(seconds: Double) {
    guard !isRaised else { return }
    _ = arrival.wait(timeout: .now() + seconds)
  }

  private func take(_ signals: sigset_t) {
    var signals = signals
    var signal: Int32 = 0
    repeat {
      var facts = siginfo_t()
      repeat { signal = sigwaitinfo(&signals, &facts) } while signal < 0
      guard takesReloads, signal == SIGHUP, !terminal.explains(facts) else { break }
      reloads.store(true, ordering: .releasing)
      arrival.signal()
    } while true
    guard awaited.load(ordering: .acquiring) else {
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      kill(getpid(), signal)
      while true { pause() }
    }
    raised.store(true, ordering: .releasing)
    arrival.signal()
    // From here on they do what they do in any program.
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    usleep(UInt32(Self.noticeSeconds * 1e6))
    // The main thread waits for a file or a pipe that may never answer.
    if !seen.load(ordering: .acquiring) { kill(getpid(), signal) }
    while true { pause() }
  }
}

/// Tells the end of a terminal from a request, as both come as SIGHUP.
private struct HangUp: Sendable {
  /// Whether there was a terminal at the start.
  private let hadTerminal = Self.hasTerminal
  private static var hasTerminal: Bool {
    let file = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    close(file)
    return true
  }

  /// A shell that ends sends the signal shortly before it is gone, in microseconds.
  private static let farewell: UInt32 = 500_000

  /// Whether a SIGHUP says that the terminal is gone: from the kernel, or passed on by the shell of this session.
  func explains(_ signal: siginfo_t) -> Bool {
    guard hadTerminal else { return false }
    // SI_KERNEL, a macro that Swift does not know.
    if signal.si_code == 0x80 || !Self.hasTerminal { return true }
    let leader = getsid(0)
    guard leader != getpid(), signal._sifields._kill.si_pid == leader else { return false }
    // A person may have sent it from that shell, which then stays.
    usleep(Self.farewell)
    return !Self.hasTerminal
  }
}
