// StreamArguments.swift: options for standard input and output as devices. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import Console
import PipeIO

/// Options for the format of standard input and output.
struct StreamArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Standard input is headerless PCM, e.g. 48000:2:s16.",
      valueName: "hz:channels:format"))
  var raw: String?
  @Option(
    help: ArgumentHelp(
      "Sample format on standard output.", valueName: "format"))
  var outFormat: String?
  @Option(
    help: ArgumentHelp("File format of the output, e.g. wav, raw.", valueName: "format"))
  var container: StreamContainer?

  func validate() throws {
    if let raw, PipeFormat(text: raw) == nil {
      throw ValidationError(
        "--raw \(raw) is not a rate, channels and format. Write it as 48000:2:s16, with a rate of 1 to"
          + " 768000 Hz, 1 to 128 channels, and s16, s24, s32, float, double, or the name of an ALSA format."
      )
    }
    guard let outFormat else { return }
    guard let format = DeviceFormat(streamName: outFormat) else {
      throw ValidationError(
        "--out-format \(outFormat) is not a sample format. Use s16, s24, s32, float or double.")
    }
    do {
      try PipeOutputSettings(format: format).checkFormat()
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// The settings of the pipe drivers.
  var options: StreamOptions {
    let (format, isRaw) = (outFormat, container == .raw)
    var options = StreamOptions { Self.output($0, format, isRaw: isRaw) }
    options.raw = raw.flatMap { PipeFormat(text: $0) }
    options.onWait = {
      Terminal.error.writeLine("outboard: Waiting for audio on standard input.")
    }
    return options
  }

  /// The request for standard output; the rig's device can name a format.
  func output(_ device: DeviceRequest) -> PipeOutputSettings {
    Self.output(device, outFormat, isRaw: container == .raw)
  }

  private static func output(
    _ device: DeviceRequest, _ format: String?, isRaw: Bool
  ) -> PipeOutputSettings {
    PipeOutputSettings(
      descriptor: Terminal.output.descriptor,
      format: (format ?? device.format).flatMap(DeviceFormat.init(streamName:)), isRaw: isRaw)
  }
}

/// The container format of standard output.
enum StreamContainer: String, ExpressibleByArgument, CaseIterable {
  case wav
  case raw
}
