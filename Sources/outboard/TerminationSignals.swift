// TerminationSignals.swift: handling of Ctrl-C and other signals that end the program. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
import Processes
import RealtimeKit
import Synchronization

/// SIGINT, SIGTERM and SIGHUP, which end the session; SIGHUP can also reload the rig file.
///
/// The signals are blocked for all later threads and received by one dedicated thread, so no handler interrupts other
/// code. A second signal ends the program at once, even if a plugin hangs. A signal that is ignored at the start
/// stays ignored, as `nohup` and shell background jobs expect.
final class TerminationSignals: Sendable {
  private let raised = Atomic<Bool>(false)
  private let awaited = Atomic<Bool>(false)
  private let reloads = Atomic<Bool>(false)
  private let arrival = DispatchSemaphore(value: 0)
  private let handlesReloads: Bool
  private let terminal: HangUp
  private let onSignal: @Sendable () -> Void
  private let isBlocked: @Sendable () -> Bool

  private let seen = Atomic<Bool>(false)
  /// The time limit for the main thread to react before the program ends without it.
  private static let noticeSeconds = 5.0
  /// The time limit if the main thread waits for another program.
  private static let blockedSeconds = 0.5
  private static let pollSeconds = 0.1

  /// Whether the end was requested. [any]
  var isRaised: Bool {
    let isRaised = raised.load(ordering: .acquiring)
    if isRaised { seen.store(true, ordering: .releasing) }
    return isRaised
  }

  /// Whether a reload was requested since the last call. [main]
  func takeReload() -> Bool { reloads.exchange(false, ordering: .acquiring) }

  /// From now on a signal requests an orderly end; before, it ends the program at once. [main]
  func begin() { awaited.store(true, ordering: .releasing) }

  /// Blocks the signals. [main]
  ///
  /// Create this before any other thread, e.g. before a compiler runs. Otherwise that thread receives the signals.
  ///
  /// - Parameters:
  ///   - handlesReloads: whether SIGHUP requests a reload, unless the terminal was closed.
  ///   - isBlocked: whether the main thread waits for another program; called on another thread.
  ///   - onSignal: called on another thread when the end is requested.
  init(
    handlesReloads: Bool = false, isBlocked: @escaping @Sendable () -> Bool = { false },
    onSignal: @escaping @Sendable () -> Void = {}
  ) {
    self.isBlocked = isBlocked
    self.handlesReloads = handlesReloads
    self.onSignal = onSignal
    terminal = HangUp()
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(signal) {
      unsafe sigaddset(&signals, signal)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    // The thread keeps this object until the program ends.
    _ = DetachedThread.start { [signals] in self.take(signals) }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0,
      let handler = unsafe action.__sigaction_handler.sa_handler
    else { return false }
    // SIG_IGN, a macro with a cast.
    return unsafe unsafeBitCast(handler, to: Int.self) == 1
  }

  /// Ends a wait early for another reason. [any]
  func wake() { arrival.signal() }

  /// Waits until the end is requested, `wake` is called, or the time is over. [main]
  func wait(seconds: Double) {
    guard !isRaised else { return }
    _ = arrival.wait(timeout: .now() + seconds)
  }

  private func take(_ signals: sigset_t) {
    var signals = signals
    var signal: Int32 = 0
    repeat {
      var info = unsafe siginfo_t()
      repeat { signal = unsafe sigwaitinfo(&signals, &info) } while signal < 0
      guard handlesReloads, signal == SIGHUP, unsafe !terminal.isTerminalClosed(info) else { break }
      reloads.store(true, ordering: .releasing)
      arrival.signal()
    } while true
    guard awaited.load(ordering: .acquiring) else {
      unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      ProcessGroups.killAll()
      kill(getpid(), signal)
      while true { pause() }
    }
    raised.store(true, ordering: .releasing)
    arrival.signal()
    onSignal()
    // From now on the signals have their default action.
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    var seconds = 0.0
    repeat {
      usleep(UInt32(Self.pollSeconds * 1e6))
      seconds += Self.pollSeconds
    } while seconds < (isBlocked() ? Self.blockedSeconds : Self.noticeSeconds)
    // The main thread can be blocked by a file or pipe.
    if !seen.load(ordering: .acquiring) {
      ProcessGroups.killAll()
      kill(getpid(), signal)
    }
    while true { pause() }
  }
}

/// Distinguishes a closed terminal from a reload request, because both send SIGHUP.
private struct HangUp: Sendable {
  /// Whether the program had a terminal at the start.
  private let hadTerminal = Self.hasTerminal
  private static var hasTerminal: Bool {
    let file = unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    close(file)
    return true
  }

  /// The time, in microseconds, that an ending shell needs after it sends the signal.
  private static let shellExitMicroseconds: UInt32 = 500_000

  /// Returns whether SIGHUP means that the terminal was closed: sent by the kernel or by the shell of this session.
  func isTerminalClosed(_ signal: siginfo_t) -> Bool {
    guard hadTerminal else { return false }
    // SI_KERNEL, a macro that Swift does not import.
    if unsafe signal.si_code == 0x80 || !Self.hasTerminal { return true }
    let leader = getsid(0)
    guard leader != getpid(), unsafe signal._sifields._kill.si_pid == leader else { return false }
    // A user can also send the signal from that shell, which then keeps running.
    usleep(Self.shellExitMicroseconds)
    return !Self.hasTerminal
  }
}
