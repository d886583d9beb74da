// main.swift: records a known signal until it is killed. SPDX-License-Identifier: MIT
//
// Usage: recording-child FILE CHANNELS [FORMAT|- [SPLIT-SECONDS [FAST-FRAMES]]]
// The first FAST-FRAMES frames are written at the disk's speed, before the first line. The other blocks take their
// real duration. After each of them, it prints the number of frames so far.

import AudioFiles
import FileRecording
import Glibc
import PluginModel

/// Prints a line without buffering.
func printLine(_ text: String) {
  let line = text + "\n"
  write(STDOUT_FILENO, line, line.utf8.count)
}

let arguments = CommandLine.arguments
let channelCount = Int(arguments[2]) ?? 2
let rateHz = 48_000
let blockFrames = 480
var request = RecorderSettings(
  path: arguments[1],
  format: arguments.count > 3 ? SampleFormat(rawValue: arguments[3]) : nil,
  channelCount: channelCount)
if arguments.count > 4, let seconds = Double(arguments[4]), seconds > 0 {
  request.split = .seconds(seconds)
}
let fastFrames = arguments.count > 5 ? Int(arguments[5]) ?? 0 : 0
// In offline mode, nothing is lost if the disk is slower.
let node = RecorderNode(
  request,
  NodeConfiguration(
    sampleRateHz: Double(rateHz), maximumFrameCount: blockFrames, isOffline: fastFrames > 0))
do {
  try node.activate()
} catch {
  printLine("\(error)")
  exit(2)
}
let rows = (0 ..< channelCount).map { _ in
  UnsafeMutablePointer<Float>.allocate(capacity: blockFrames)
}
let step = node.step
var frameCount = 0
while true {
  for (channel, row) in rows.enumerated() {
    for frame in 0 ..< blockFrames {
      // A value that 16 bits represent exactly, and that no frame nearby has.
      row[frame] = Float((frameCount + frame + channel * 7) % 30_000) / 32_768
    }
  }
  rows.withUnsafeBufferPointer { rows in
    if let rows = rows.baseAddress { step.function(step.context, rows, UInt32(blockFrames)) }
  }
  frameCount += blockFrames
  if frameCount < fastFrames { continue }
  while node.recording.reports.reduce(0, { $0 + $1.frameCount }) < fastFrames { usleep(1_000) }
  printLine("\(frameCount)")
  for notice in node.recording.takeNotices() { printLine("\(notice)") }
  usleep(10_000)
}
