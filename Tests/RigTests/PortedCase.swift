// PortedCase.swift: the ports of the guide, and their expected output. SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A port, values for it, and a simple second implementation of its algorithm.
struct PortedCase: Sendable, CustomTestStringConvertible {
  /// Below `Tests/Fixtures/porting`.
  let file: String
  /// In the order of its parameters.
  let values: [Float]
  var channelCount = 2
  /// The delay that the host adds for the block length that the port needs, in frames.
  var blockDelay = 0
  /// Output channels for input channels, at 48 kHz.
  let computes: @Sendable (_ inputs: [[Double]], _ values: [Double]) -> [[Double]]

  var testDescription: String { "\(file) \(values)" }

  /// The expected output.
  func expected(_ inputs: [[Float]]) -> [[Double]] {
    let outputs = computes(inputs.map { $0.map(Double.init) }, values.map(Double.init))
    let silence = [Double](repeating: 0, count: blockDelay)
    return outputs.map { silence + $0.dropLast(blockDelay) }
  }

  // MARK: - C

  static let inC = [
    PortedCase(file: "saturator.c", values: [4]) { inputs, values in
      each(inputs) { $0 * values[0] / (1 + abs($0 * values[0])) }
    },
    PortedCase(file: "echo.c", values: [100, 0.5]) { inputs, values in
      inputs.map { input in
        input.indices.map { input[$0] + values[1] * before(input, $0, 4800) }
      }
    },
    PortedCase(file: "ladspa.c", values: [0.25, 1], channelCount: 1) { inputs, values in
      inputs.map { input in
        input.indices.map { values[0] * before(input, $0, 1) - input[$0] }
      }
    },
    PortedCase(file: "tick.c", values: [5]) { inputs, _ in
      inputs.map { input in
        input.indices.map {
          let phase = Double(($0 + 1) % 9600) / 9600
          return input[$0] * (0.5 + abs(phase - 0.5))
        }
      }
    },
    PortedCase(file: "interleaved.c", values: [6]) { inputs, _ in
      each(inputs) { (($0 * 32_768).rounded(.toNearestOrEven) / 1024).rounded(.down) / 32 }
    },
    PortedCase(file: "frames.c", values: [4000], blockDelay: 479) { inputs, values in
      inputs.map { input in
        let starts = Array(stride(from: 0, to: input.count, by: 480))
        let peaks = starts.map { start in
          input[start ..< min(start + 480, input.count)].map(abs).max() ?? 0
        }
        let gains = zip(peaks, peaks.dropFirst()).map {
          max($0, $1) * 32_768 >= values[0] ? 1 : 0.1
        }
        return input.indices.map { $0 < 480 ? 0 : input[$0 - 480] * gains[$0 / 480 - 1] }
      }
    },
    PortedCase(file: "globals.c", values: [8], channelCount: 1) { inputs, _ in
      inputs.map { input in input.indices.map { input[$0 - $0 % 8] } }
    },
  ]

  // MARK: - C++

  static let inCPlusPlus = [
    PortedCase(file: "vst2.cpp", values: [0.5, 0.7]) { inputs, values in
      inputs.map { input in
        var line = input
        for frame in line.indices.dropFirst(4800) {
          line[frame] += 0.9 * values[0] * line[frame - 4800]
        }
        return input.indices.map { input[$0] + values[1] * before(line, $0, 4800) }
      }
    },
    PortedCase(file: "vst2_folder", values: [0.5]) { inputs, _ in
      smoothed(inputs) { 1 - 0.5 * 44_100 / 48_000 }
    },
    PortedCase(file: "au_kernel.cpp", values: [800]) { inputs, _ in
      smoothed(inputs) { exp(-2 * .pi * 800 / 48_000) }
    },
    PortedCase(file: "au_effect.cpp", values: [0.25]) { inputs, _ in
      [inputs[0].map { $0 * 0.75 }, inputs[1]]
    },
    PortedCase(file: "au_effect.cpp", values: [-0.25]) { inputs, _ in
      [inputs[0], inputs[1].map { $0 * 0.75 }]
    },
    PortedCase(file: "au_render.cpp", values: [0.75]) { inputs, _ in
      inputs.map { input in
        input.indices.map { $0 % 6000 < 3000 ? input[$0] : input[$0] * 0.25 }
      }
    },
    PortedCase(file: "faust.cpp", values: [0.5, 0.75]) { inputs, values in
      inputs.map { input in
        var last = 0.0
        return input.map { sample in
          last = values[0] * sample + values[1] * last
          return last
        }
      }
    },
    PortedCase(file: "juce.cpp", values: [6, 0]) { inputs, _ in
      each(inputs) { $0 * pow(10.0 as Double, 0.3) }
    },
    PortedCase(file: "juce.cpp", values: [-6, 1]) { inputs, _ in
      let middle = zip(inputs[0], inputs[1]).map { ($0 + $1) / 2 }
      let output = middle.map { $0 * pow(10.0 as Double, -0.3) }
      return [output, output]
    },
    PortedCase(file: "juce_dsp.cpp", values: [12]) { inputs, _ in
      each(inputs) { min(max($0 * pow(10.0 as Double, 0.6), -1), 1) }.map { held in
        held.indices.map { (held[$0] + before(held, $0, 1)) / 2 }
      }
    },
    PortedCase(file: "tick.cpp", values: [1.5]) { inputs, _ in
      let middle = zip(inputs[0], inputs[1]).map { ($0 + $1) / 2 }
      let side = zip(inputs[0], inputs[1]).map { ($0 - $1) / 2 * 1.5 }
      return [1.0, -1.0].map { sign in
        middle.indices.map { middle[$0] + sign * before(side, $0, 48) }
      }
    },
  ]

  // MARK: - Swift

  static let inSwift = [
    PortedCase(file: "gain.swift", values: [-6]) { inputs, _ in
      each(inputs) { $0 * pow(10.0 as Double, -0.3) }
    }
  ]
}

/// Sample by sample.
private func each(_ inputs: [[Double]], _ function: (Double) -> Double) -> [[Double]] {
  inputs.map { $0.map(function) }
}

/// The sample a number of frames earlier; 0 before the start.
private func before(_ samples: [Double], _ frame: Int, _ delay: Int) -> Double {
  frame < delay ? 0 : samples[frame - delay]
}

/// A first-order low-pass of whose state this fraction remains after a frame.
private func smoothed(_ inputs: [[Double]], _ rest: () -> Double) -> [[Double]] {
  let rest = rest()
  return inputs.map { input in
    var last = 0.0
    return input.map { sample in
      last = sample + (last - sample) * rest
      return last
    }
  }
}
