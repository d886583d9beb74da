// ControlFeedback.swift: values for the lights and motors of a device. SPDX-License-Identifier: MIT

import RigSchema

extension ControlSource {
  /// Returns the messages that show a position, 0 to 1, on a channel, 1 to 16; none for a program.
  func messages(showing position: Double, channel: Int) -> [[UInt8]] {
    let low = UInt8(channel - 1)
    func controller(_ number: Int, _ value: Int) -> [UInt8] {
      [0xb0 | low, UInt8(number), UInt8(value)]
    }
    let coarse = Int((position * 127).rounded())
    let fine = Int((position * FineValue.maximum).rounded())
    switch kind {
    case .controller(let number): return [controller(number, coarse)]
    case .fineController(let number):
      return [controller(number, fine >> 7), controller(number + 32, fine & 127)]
    case .nrpn(let number):
      return [
        controller(99, number >> 7), controller(98, number & 127), controller(6, fine >> 7),
        controller(38, fine & 127), controller(99, 127), controller(98, 127),
      ]
    case .pitchBend: return [[0xe0 | low, UInt8(fine & 127), UInt8(fine >> 7)]]
    case .note(let number): return [[0x90 | low, UInt8(number), UInt8(coarse)]]
    case .program: return []
    }
  }
}
