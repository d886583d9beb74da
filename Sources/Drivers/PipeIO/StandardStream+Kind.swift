// StandardStream+Kind.swift: opens standard input and output as devices. SPDX-License-Identifier:
// MIT

package import AudioDriver

/// A program's settings of standard input and output.
package struct StreamOptions: Sendable {
  /// The format of headerless samples on standard input; nil for WAV.
  package var raw: PipeFormat?
  /// Returns the output settings for a device of a rig, which may name a format.
  package var output: @Sendable (DeviceRequest) -> PipeOutputSettings
  /// Called once if standard input delivers nothing for two seconds.
  package var onWait: @Sendable () -> Void = {}

  /// Creates options: WAV input, and WAV output in the device's format. [any]
  package init(
    output: @escaping @Sendable (DeviceRequest) -> PipeOutputSettings = {
      PipeOutputSettings(format: $0.format.flatMap(DeviceFormat.init(streamName:)))
    }
  ) {
    self.output = output
  }
}

extension StandardStream {
  /// `-`: added to another driver, or to the system clock without another driver. [any]
  package static func kind(_ options: StreamOptions = StreamOptions()) -> DriverKind {
    DriverKind(
      schemes: [name],
      open: { request, context in try openPipe(request, context, options) },
      openPaired: { request, context, primary in
        let input = try openInput(request, context, options)
        let driver = try primary()
        let output = try request.outputs.first.map { side in
          try PipeOutput(
            options.output(side), channelCount: side.usedChannelCount ?? 2,
            sampleRateHz: Int(driver.stream.sampleRateHz))
        }
        return PipeBridgeDriver(
          driver, input: input, clock: request.inputs.first?.clock ?? .automatic, output: output)
      })
  }

  private static func openInput(
    _ request: StreamRequest, _ context: DriverContext, _ options: StreamOptions
  ) throws -> PipeInput? {
    guard !request.inputs.isEmpty else { return nil }
    var pollCount = 0
    return try PipeInput(raw: options.raw) {
      pollCount += 1
      // After two seconds the user should be informed.
      if pollCount == 20 { options.onWait() }
      return context.canWait()
    }
  }

  /// Opens pipes without a card: standard input clocks the graph.
  private static func openPipe(
    _ request: StreamRequest, _ context: DriverContext, _ options: StreamOptions
  ) throws -> any AudioDriver {
    let input = try openInput(request, context, options)
    let wanted = request.sampleRateHz
    let rateHz = input?.format.sampleRateHz ?? wanted ?? 48_000
    let shape = try context.shape(
      input?.format.channelCount ?? 0, !request.outputs.isEmpty, rateHz,
      PipeDriver.defaultBlockFrames)
    let output = try request.outputs.first.map { side in
      try PipeOutput(
        options.output(side), channelCount: shape.outputChannelCount, sampleRateHz: rateHz)
    }
    var notes: [String] = []
    if let wanted, wanted != rateHz {
      notes.append(
        "The rig asks for \(wanted) Hz; it runs at standard input's \(rateHz) Hz instead.")
    }
    return PipeDriver(
      input: input, output: output, periodFrames: shape.blockFrames, sampleRateHz: rateHz,
      seconds: context.seconds, notes: notes, onEnd: context.onEnd)
  }
}
