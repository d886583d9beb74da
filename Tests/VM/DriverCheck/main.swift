// main.swift: runs devices in duplex and reports the result. SPDX-License-Identifier: MIT
//
//   driver-check run [--in DEVICE] [--out DEVICE] [--rate HZ] [--period FRAMES] ... [--seconds S]
//   driver-check devices
//   driver-check midi [--name NAME] [--in NAME]... [--out NAME]... [--delay S] [--seconds S] [--until FILE] [--wait]
//   driver-check noise FILE FRAMES FORMAT [CHANNEL,...]
//   driver-check tone FILE HERTZ DECIBELS SECONDS
//   driver-check measure FILE
//   driver-check spurs FILE
//   driver-check compare PLAYED RECORDED BYTES-OF-A-FRAME
//   driver-check notify-listen PATH SECONDS

import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())

switch (arguments.first, arguments.count) {
case ("run", _): exit(Run.run(Options(Array(arguments.dropFirst()))))
case ("devices", 1): Devices.print()
case ("midi", _): exit(MIDI.run(Array(arguments.dropFirst())))
case ("noise", 4 ... 5):
  guard let format = Noise.Format(arguments[3]) else { exit(2) }
  let channels =
    arguments.count > 4 ? arguments[4].split(separator: ",").compactMap { Int($0) } : [1, 2]
  let bytes = Noise.bytes(
    frameCount: Int(arguments[2]) ?? 0, format: format, channels: channels)
  exit(Noise.write(bytes, to: arguments[1]) ? 0 : 1)
case ("tone", 5):
  let bytes = Tone.bytes(
    hertz: Double(arguments[2]) ?? 0, decibels: Double(arguments[3]) ?? 0,
    seconds: Double(arguments[4]) ?? 0)
  exit(Noise.write(bytes, to: arguments[1]) ? 0 : 1)
case ("measure", 2):
  let facts = Tone.facts(Noise.read(arguments[1]))
  for (name, value) in facts ?? [] { print(name, value) }
  exit(facts == nil ? 1 : 0)
case ("spurs", 2):
  let facts = Tone.spurs(Noise.read(arguments[1]))
  for (name, value) in facts ?? [] { print(name, value) }
  exit(facts == nil ? 1 : 0)
case ("compare", 4):
  let fault = Noise.find(
    Noise.read(arguments[1]), in: Noise.read(arguments[2]),
    frameByteCount: Int(arguments[3]) ?? 1)
  print(fault.map { "\(arguments[2]) is not what was played: \($0)" } ?? "every bit came through")
  exit(fault == nil ? 0 : 1)
case ("notify-listen", 3):
  exit(NotifyListen.run(path: arguments[1], timeoutSeconds: Int(arguments[2]) ?? 10))
default:
  print("driver-check: run, devices, midi, noise, tone, measure, compare or notify-listen")
  exit(2)
}
