// AdaptiveResamplingErrorTests.swift: requests that are refused, and their messages. SPDX-License-Identifier: MIT

import AdaptiveResampling
import Testing

@Suite struct AdaptiveResamplingErrorTests {
  private func refusal(_ change: (inout FollowerSettings) -> Void) -> String {
    var request = FollowerSettings(
      channelCount: 2, deviceRateHz: 48_000, primaryRateHz: 48_000, blockFrames: 256,
      deviceBufferFrames: 1_024)
    change(&request)
    do throws(AdaptiveResamplingError) {
      _ = try AdaptiveInput(request)
      _ = try AdaptiveOutput(request)
      return "nothing"
    } catch {
      return error.description
    }
  }

  @Test func `a valid request is accepted`() {
    #expect(refusal { _ in } == "nothing")
    #expect(refusal { $0.channelCount = 128 } == "nothing")
    #expect(refusal { $0.blockFrames = 1 } == "nothing")
  }

  @Test(arguments: [0, -1, 129])
  func `zero channels and too many channels are refused`(_ count: Int) {
    #expect(
      refusal { $0.channelCount = count }
        == "A device of \(count) channels cannot be resampled: the resampler supports 1 to 128 "
        + "channels."
    )
  }

  @Test(arguments: [0.0, -1.0, Double.nan, Double.infinity, 9_648_000.0])
  func `rates that differ too much are refused`(_ rateHz: Double) {
    #expect(
      refusal { $0.deviceRateHz = rateHz }
        == "A device at \(rateHz) Hz cannot be resampled to 48000.0 Hz: both rates must be above "
        + "0, and one at most 200 times the other.")
  }

  @Test func `invalid lengths are refused`() {
    #expect(
      refusal { $0.blockFrames = 0 }
        == "A device with a period of 0 frames is out of range (1 to 1048576)."
    )
    #expect(
      refusal { $0.deviceBufferFrames = 2_000_000 }
        == "A device with a buffer of 2000000 frames is out of range (1 to "
        + "1048576).")
    #expect(
      refusal { $0.deviceStepFrames = -3 }
        == "A device with a pointer step of -3 frames is out of range (1 to "
        + "1048576).")
  }
}
