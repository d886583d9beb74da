// MIDI.swift: one run of the sequencer without an engine. SPDX-License-Identifier: MIT

import ALSASequencer
import Glibc
import RealtimeKit

/// Prints every message with its time, and sends it after a delay.
///
/// Each message is a line: `message NANOSECONDS BYTE...`, `notice MESSAGE`, `sources NAME, NAME`; at the end
/// `received N sent N dropped N`.
enum MIDI {
  /// Runs, and returns the exit status.
  static func run(_ arguments: [String]) -> Int32 {
    let options = Options(arguments)
    if let failed = options.failed {
      print(failed)
      return 2
    }
    do {
      try options.run()
      return 0
    } catch let error as SequencerError {
      print(error)
      return error.exitStatus
    } catch {
      print(error)
      return 1
    }
  }

  /// The options of the command line.
  private struct Options {
    var inputs: [String] = []
    var outputs: [String] = []
    var name = "Outboard"
    var seconds = 5.0
    /// A file whose existence ends the run early.
    var endFile: String?
    /// The delay of sent messages; nil for no output.
    var delaySeconds: Double?
    var waits = false
    var failed: String?

    init(_ arguments: [String]) {
      var rest = arguments[...]
      while let name = rest.popFirst() {
        if name == "--wait" {
          waits = true
          continue
        }
        guard let value = rest.popFirst() else {
          failed = "\(name) needs a value."
          return
        }
        switch name {
        case "--name": self.name = value
        case "--in": inputs.append(value)
        case "--out": outputs.append(value)
        case "--seconds": seconds = Double(value) ?? seconds
        case "--until": endFile = value
        case "--delay": delaySeconds = Double(value)
        default: failed = "\(name) is not known."
        }
      }
    }

    func run() throws {
      var request = SequencerRequest()
      request.clientName = name
      request.input = try EndpointSelection(inputs) ?? .hardware
      if delaySeconds != nil {
        request.output = try EndpointSelection(outputs) ?? EndpointSelection.none
      }
      request.waitsForDevices = waits
      let rings = UnsafeMutablePointer<MessageRing>.allocate(capacity: 2)
      rings.initialize(to: MessageRing(capacityBytes: 1 << 16))
      (rings + 1).initialize(to: MessageRing(capacityBytes: 1 << 16))
      let sequencer = try ALSASequencer(request)
      try sequencer.start(input: rings, output: delaySeconds == nil ? nil : rings + 1)
      tell(sequencer)
      let end = now() + seconds
      while now() < end, !(endFile.map { access($0, F_OK) == 0 } ?? false) {
        for notice in sequencer.takeNotices() {
          print("notice \(notice)")
          tell(sequencer)
        }
        passOn(rings)
        fflush(nil)
        usleep(10_000)
      }
      sequencer.stop()
      passOn(rings)
      let status = sequencer.status
      print(
        "received \(status.receivedCount) sent \(status.sentCount) dropped \(status.droppedCount)")
    }

    private func tell(_ sequencer: ALSASequencer) {
      print("sources \(sequencer.status.sources.joined(separator: ", "))")
      print("destinations \(sequencer.status.destinations.joined(separator: ", "))")
    }

    /// Prints received messages, and sends them on.
    private func passOn(_ rings: UnsafeMutablePointer<MessageRing>) {
      var scratch = [UInt8](repeating: 0, count: rings[0].maximumByteCount)
      while let time = rings[0].nextTime() {
        let count = scratch.withUnsafeMutableBytes { buffer in
          buffer.baseAddress.map { rings[0].take(into: $0) } ?? 0
        }
        let bytes = Array(scratch[..<count])
        print("message \(time) \(bytes.map { String($0, radix: 16) }.joined(separator: " "))")
        guard let delaySeconds else { continue }
        _ = rings[1].write(time: time + UInt64(delaySeconds * 1e9), bytes)
      }
    }

    private func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }
}
