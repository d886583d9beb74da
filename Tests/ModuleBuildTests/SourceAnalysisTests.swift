// SourceAnalysisTests.swift: channels and parameters found in code. SPDX-License-Identifier: MIT

import Testing

@testable import ModuleBuild

@Suite struct SourceAnalysisTests {
  private func shape(_ body: String, above: String = "") -> SourceAnalysis {
    SourceAnalysis([
      SourceText(
        """
        \(above)
        void process(void *state, const float *const *inputs, float *const *outputs,
                     const float *parameters, uint32_t frames) {
          \(body)
        }
        """)
    ])
  }

  @Test func `the highest channel index sets the channel count`() {
    let shape = shape("for (i = 0; i < frames; i++) outputs[1][i] = outputs[0][i] = inputs[0][i];")
    #expect(shape.inputCount == 1)
    #expect(shape.outputCount == 2)
    #expect(shape.parameters.isEmpty)
  }

  @Test func `code that loops over its channels has no known channel count`() {
    let shape = shape("for (c = 0; c < 2; c++) outputs[c][0] = inputs[c][0];")
    #expect(shape.inputCount == nil)
    #expect(shape.outputCount == nil)
  }

  @Test func `code that passes its channels on has no known channel count`() {
    let shape = shape("echo(state, inputs, outputs[0], parameters);")
    #expect(shape.inputCount == nil)
    #expect(shape.outputCount == 1)
    #expect(shape.parameters.isEmpty)
  }

  @Test func `code that reads no input has no inputs`() {
    #expect(shape("outputs[0][0] = 1; (void)inputs;").inputCount == nil)
    #expect(shape("outputs[0][0] = 1;").inputCount == 0)
  }

  @Test(
    arguments: [
      "enum { MIX, FEEDBACK };", "enum names { PARAM_MIX, PARAM_FEEDBACK, count };",
      "#define kMix 0\n#define kFeedback 1", "static const int mix = 0, x; const int feedback = 1;",
      "constexpr unsigned mixIndex = 0;\nconstexpr unsigned feedbackIndex = 1;",
    ])
  func `constants that index parameters name them`(above: String) {
    let names = ["PARAM_MIX", "MIX", "kMix", "mixIndex", "mix"]
    let mix = names.first { above.contains($0) } ?? ""
    let feedback = mix.replacing("MIX", with: "FEEDBACK").replacing("Mix", with: "Feedback")
      .replacing("mix", with: "feedback")
    let shape = shape(
      "outputs[0][0] = inputs[0][0] * parameters[\(mix)] + parameters[\(feedback)];", above: above)
    #expect(shape.parameters.map(\.symbol) == ["mix", "feedback"])
    #expect(shape.parameters.map(\.name) == ["Mix", "Feedback"])
  }

  @Test func `an unused parameter keeps its index and its name`() {
    let shape = shape("outputs[0][0] = parameters[DEPTH];", above: "enum { RATE, DEPTH };")
    #expect(shape.parameters.map(\.symbol) == ["rate", "depth"])
  }

  @Test func `plain numbers become parameters without names`() {
    #expect(shape("outputs[0][0] = parameters[1];").parameters.map(\.symbol) == ["p1", "p2"])
  }

  @Test func `comments and strings do not count as code`() {
    let shape = shape(
      "// inputs[7]\n/* outputs[9] */ puts(\"parameters[3]\"); outputs[0][0] = inputs[0][0];")
    #expect(shape.inputCount == 1)
    #expect(shape.outputCount == 1)
    #expect(shape.parameters.isEmpty)
  }

  @Test func `a declaration and a call do not count as the definition`() {
    let text = """
      void process(void *, const float *const *, float *const *, const float *, uint32_t);
      static void run(void) { process(a, b[3], c[4], d, e); }
      void process(void *s, const float *const *x, float *const *y, const float *p, uint32_t n) {
        y[0][0] = x[0][0] * p[0];
      }
      """
    let shape = SourceAnalysis([SourceText(text)])
    #expect(shape.inputCount == 1)
    #expect(shape.parameters.count == 1)
  }

  @Test func `Swift is analysed too`() {
    let text = """
      private let mix = 0
      @c(process) public func process(
        _ state: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
        _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
        _ frameCount: UInt32
      ) {
        for i in 0 ..< Int(frameCount) { outputs[0][i] = inputs[0][i] * parameters[mix] }
      }
      """
    let shape = SourceAnalysis([SourceText(text)])
    #expect(shape.inputCount == 1)
    #expect(shape.outputCount == 1)
    #expect(shape.parameters.map(\.symbol) == ["mix"])
  }

  @Test func `a field of the same name and a comparison do not count`() {
    #expect(
      shape("x->inputs[7] = y.inputs[8]; if (a > inputs[0][0]) outputs[0][0] = 1;").inputCount == 1)
  }

  @Test func `a struct of the Swift kit is analysed too`() {
    let text = """
      private let gain = 0
      struct Level: AudioModule {
        @_noLocks mutating func process(_ block: AudioBlock) {
          for i in 0 ..< block.frameCount {
            block.outputs[1][i] = block.inputs[0][i] * block.parameters[gain] * own.inputs[7]
          }
        }
      }
      """
    let shape = SourceAnalysis([SourceText(text)])
    #expect(shape.inputCount == 1)
    #expect(shape.outputCount == 2)
    #expect(shape.parameters.map(\.symbol) == ["gain"])
  }

  @Test func `a MIDI function is found`() {
    let text = """
      void midi(void *s, uint32_t frame, const uint8_t *bytes, uint32_t count) { note(s, bytes); }
      """
    #expect(SourceAnalysis([SourceText(text)]).acceptsMIDI)
    #expect(!SourceAnalysis([SourceText("void midi(int x) { }")]).acceptsMIDI)
  }

  @Test(arguments: [
    "", "(", "{{{{", "process(", "void process(a, b, c, d, e) {", "enum {", "\"", "/*", "#define",
  ])
  func `truncated code does no harm`(text: String) {
    #expect(SourceAnalysis([SourceText(text)]).parameters.isEmpty)
  }
}
