// LinkClock.swift: a session's tempo from Ableton Link. SPDX-License-Identifier: MIT

import CRealtime
package import ErrorModel
import Glibc
package import MIDIClock
package import PluginModel
import Processes
package import RenderGraph

/// Ableton Link as the clock link of a session, through the program outboard-link.
package final class LinkClock: ClockLink {
  /// After this number of unexpected ends the process is not started again.
  private static let maximumEndCount = 5
  /// A process that has run for this time resets the count, in ns.
  private static let steadyNanoseconds: UInt64 = 60_000_000_000

  private let program: String
  private let beatsPerQuarter: Double
  /// The quarter notes of a bar, to whose multiples all programs of the session are aligned.
  private let quantum: Double
  private let output: (any ClockLink)?
  private let timeoutSeconds: Int
  private let retryNanoseconds: UInt64
  private let input = LinkInput()
  private var helper: LinkHelper?
  private var engine: Engine?
  private var startTime: UInt64 = 0
  private var endCount = 0
  private var retryTime: UInt64?
  private let notices = NoticeQueue()

  /// Creates a clock that is not started. [main]
  ///
  /// - Parameters:
  ///   - program: the path of outboard-link, or its name in `PATH`.
  ///   - settings: the time signature.
  ///   - output: sends the MIDI clock of the session; nil for none.
  ///   - timeoutSeconds: the time without a line after which the process is ended.
  ///   - retrySeconds: the time until a process that has ended is started again.
  package init(
    program: String, _ settings: TransportSettings, output: (any ClockLink)? = nil,
    timeoutSeconds: Int = 2, retrySeconds: Double = 1
  ) {
    (self.program, self.output) = (program, output)
    beatsPerQuarter = Double(settings.beatUnit) / 4
    quantum = Double(settings.beatsPerBar) / beatsPerQuarter
    self.timeoutSeconds = timeoutSeconds
    retryNanoseconds = UInt64(retrySeconds * 1e9)
  }

  package func start(_ engine: Engine) throws {
    try output?.start(engine)
    engine.follow(input.published, whenAudible: true)
    self.engine = engine
    let beat = unsafe engine.transport?.pointer.pointee.position.beat ?? 0
    startHelper(at: beat / beatsPerQuarter)
  }

  private func startHelper(at position: Double?) {
    guard let transport = engine?.transport else { return }
    startTime = crealtime_nanoseconds()
    let tempo = transport.beatsPerMinute / beatsPerQuarter
    let beat = input.begin(
      at: position, quartersPerMinute: tempo, isRolling: transport.isRolling, now: startTime)
    let command = [
      program, "--tempo", "\(tempo)", "--quantum", "\(quantum)", "--beat", "\(beat)",
    ]
    do throws(ProcessSpawn.Failure) {
      helper = try LinkHelper(
        command + (transport.isRolling ? ["--playing"] : []), timeoutSeconds: timeoutSeconds
      ) { [input] line, time in
        input.receive(line, at: time)
      }
    } catch {
      unsafe notices.append(.linkNotStarted(String(cString: strerror(error.code))))
    }
  }

  package func stop() {
    output?.stop()
    helper?.stop()
    input.end(isExpected: true)
    (helper, engine, retryTime) = (nil, nil, nil)
  }

  package var status: ClockStatus? { input.status }

  package func request(_ change: ClockChange) -> Bool {
    guard let helper, !helper.hasEnded else { return false }
    switch change {
    case .tempo(let beatsPerMinute):
      let tempo = beatsPerMinute / beatsPerQuarter
      input.setTempo(tempo, at: crealtime_nanoseconds())
      return helper.send("tempo \(tempo)")
    case .start: return helper.send("start")
    case .stop: return helper.send("stop")
    case .rewind: return input.isRolling && helper.send("rewind")
    }
  }

  package func takeNotices() -> [HostNotice] {
    superviseHelper(at: crealtime_nanoseconds())
    return (output?.takeNotices() ?? []) + input.takeNotices() + notices.take()
  }

  /// Starts a process again that has ended, a limited number of times.
  private func superviseHelper(at now: UInt64) {
    if let retryTime, now >= retryTime {
      self.retryTime = nil
      startHelper(at: nil)
    }
    guard let helper, helper.hasEnded else { return }
    self.helper = nil
    input.end(isExpected: false)
    endCount = now - startTime < Self.steadyNanoseconds ? endCount + 1 : 1
    if endCount < Self.maximumEndCount { retryTime = now + retryNanoseconds }
    notices.append(.linkEnded(restarts: retryTime != nil))
  }
}
