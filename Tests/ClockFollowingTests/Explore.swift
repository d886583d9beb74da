import ClockFollowing
import Glibc
import Testing

@Suite struct Explore {
  @Test func explore() throws {
    for ppm in [-500.0, -200, 20, 200, 500] {
      for step in [1, 48, 192] {
        for (stamps, block) in [(false, 256), (false, 64), (false, 1024), (true, 256)] {
          for playback in [false, true] {
            var scene = Scene()
            scene.blockFrames = block
            scene.clock.partsPerMillion = ppm
            scene.clock.stepFrames = step
            scene.hasTimeStamps = stamps
            let outcome = playback ? try scene.play(seconds: 120) : try scene.capture(seconds: 120)
            let n = outcome.errorFrames.count
            let f = outcome.fill(from: n / 2)
            let e = outcome.fill(from: outcome.firstPeriod)
            let lo = outcome.errorFrames[outcome.firstPeriod...].min()!
            let d10 = outcome.driftPartsPerMillion[n / 12] - ppm
            let dl = outcome.driftPartsPerMillion[(n / 2)...].map { abs($0 - ppm) }.max()!
            print(ppm, step, block, stamps ? "stamps" : "", playback ? "play" : "capt", "under/over", outcome.status.underrunCount, outcome.status.overrunCount, "lost", outcome.lostFrames, "fill mean", f.mean, "+-", f.spread, "min", lo, "spread all", e.spread, "d10", d10, "dmax", dl, "first", outcome.firstPeriod)
          }
        }
      }
    }
  }
}
