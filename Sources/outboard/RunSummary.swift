// RunSummary.swift: how a run went, for programs. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins

/// What `outboard run --json` prints at the end.
struct RunSummary: Encodable {
  struct Analysis: Encodable {
    struct Band: Encodable {
      let centreHz: Double
      let decibels: Double
    }
    let node: String
    let peakDecibels: [Double]
    let rmsDecibels: [Double]
    let bands: [Band]
    let strongestHz: Double?

    init(node: String, _ report: AnalyserReport) {
      self.node = node
      peakDecibels = report.peakDecibels
      rmsDecibels = report.rmsDecibels
      bands = report.bands.map { Band(centreHz: $0.centreHz, decibels: $0.decibels) }
      strongestHz = report.strongestHz
    }
  }

  let seconds: Double
  let sampleRateHz: Double
  let periodFrames: Int
  let isLinked: Bool
  let inputFormat: String?
  let outputFormat: String?
  let inputPeaks: [Float]
  let outputPeaks: [Float]
  let meanLoad: Double
  let worstLoad: Double
  let xruns: Int
  let lostSeconds: Double
  let clippedSamples: Int
  let pluginLatencyFrames: Int
  let notes: [String]
  let failure: String?
  let analyses: [Analysis]
}
