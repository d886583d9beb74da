// juce_values.h: JUCE-style parameters in a tree, by name. SPDX-License-Identifier: MIT
#pragma once

#include "juce_processor.h"

namespace juce {

/// Parameters by name, which belong to a processor.
class AudioProcessorValueTreeState {
public:
  typedef ParameterListener Listener;
  class ParameterLayout {
  public:
    ParameterLayout() {}
    template <class... Rest> ParameterLayout(std::unique_ptr<Rest>... all) { add(std::move(all)...); }
    template <class It> ParameterLayout(It first, It last) {
      for (; first != last; ++first) add(std::move(*first));
    }
    template <class... More> void add(std::unique_ptr<More>... all) { group.addChild(std::move(all)...); }
    AudioProcessorParameterGroup group{{}, {}, {}};
  };

  /// A parameter with text conversion functions, which are not used.
  class Parameter : public AudioParameterFloat {
  public:
    template <class... Rest>
    Parameter(const ParameterID &id, const String &words, const String &unit, NormalisableRange<float> range,
              float start, const Rest &...)
        : AudioParameterFloat(id, words, range, start, unit) {}
    template <class... Rest>
    Parameter(const ParameterID &id, const String &words, NormalisableRange<float> range, float start,
              const Rest &...rest)
        : AudioParameterFloat(id, words, range, start, parameterLabel(rest...)) {}
  };

  // Attachments for user interface controls, which do nothing.
  struct SliderAttachment {
    template <class... Rest> explicit SliderAttachment(const Rest &...) {}
  };
  typedef SliderAttachment ComboBoxAttachment;
  typedef SliderAttachment ButtonAttachment;

  AudioProcessorValueTreeState(AudioProcessor &owner, UndoManager *undo)
      : processor(owner), state(Identifier()), undoManager(undo) {}
  AudioProcessorValueTreeState(AudioProcessor &owner, UndoManager *undo, const Identifier &name,
                               ParameterLayout layout)
      : processor(owner), state(name), undoManager(undo) {
    for (auto &parameter : layout.group.list) createAndAddParameter(std::move(parameter));
  }
  AudioProcessorValueTreeState(const AudioProcessorValueTreeState &) = delete;

  RangedAudioParameter *createAndAddParameter(std::unique_ptr<RangedAudioParameter> parameter) {
    parameter->listeners.push_back(&teller);
    processor.addParameter(parameter.get());
    return parameter.release();
  }
  template <class From, class To>
  RangedAudioParameter *createAndAddParameter(const String &id, const String &words, const String &unit,
                                              NormalisableRange<float> range, float start, const From &,
                                              const To &, bool = false, bool = true, bool isDiscrete = false,
                                              int = 0, bool isBoolean = false) {
    if (isBoolean) return createAndAddParameter(std::make_unique<AudioParameterBool>(id, words, start > 0.5f));
    if (isDiscrete && range.interval == 1)
      return createAndAddParameter(
          std::make_unique<AudioParameterInt>(id, words, int(range.start), int(range.end), int(start)));
    return createAndAddParameter(std::make_unique<AudioParameterFloat>(id, words, range, start, unit));
  }
  RangedAudioParameter *getParameter(const String &id) const {
    for (auto *parameter : processor.getParameters())
      if (parameter->paramID == id) return parameter;
    return nullptr;
  }
#ifdef OUTBOARD_JUCE_FLOAT_VALUES
  typedef float RawValue; // the type before JUCE 6
#else
  typedef std::atomic<float> RawValue;
#endif
  RawValue *getRawParameterValue(const String &id) const {
    auto *parameter = getParameter(id);
    return parameter == nullptr ? nullptr : reinterpret_cast<RawValue *>(&parameter->raw);
  }
  NormalisableRange<float> getParameterRange(const String &id) const {
    auto *parameter = getParameter(id);
    return parameter == nullptr ? NormalisableRange<float>() : parameter->getNormalisableRange();
  }
  void addParameterListener(const String &id, Listener *listener) {
    if (auto *parameter = getParameter(id)) parameter->listeners.push_back(listener);
  }
  void removeParameterListener(const String &id, Listener *listener) {
    if (auto *parameter = getParameter(id)) {
      auto &all = parameter->listeners;
      for (size_t i = all.size(); i-- > 0;)
        if (all[i] == listener) all.erase(all.begin() + long(i));
    }
  }
  ValueTree copyState() const { return state; }
  void replaceState(const ValueTree &) {}

  AudioProcessor &processor;
  ValueTree state;
  UndoManager *const undoManager;

private:
  /// Forwards parameter changes to the listeners of the tree.
  struct Teller : ParameterListener {
    explicit Teller(AudioProcessorValueTreeState &all) : owner(all) {}
    void parameterChanged(const String &, float) override { owner.state.tell(value); }
    AudioProcessorValueTreeState &owner;
    const Identifier value{"value"};
  };
  Teller teller{*this};
};

} // namespace juce
