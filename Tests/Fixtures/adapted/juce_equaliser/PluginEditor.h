// PluginEditor.h: the equaliser's window, which this host never creates. SPDX-License-Identifier: MIT
#pragma once

#include "PluginProcessor.h"

class EqualiserEditor : public juce::AudioProcessorEditor, private juce::Timer {
public:
  explicit EqualiserEditor(EqualiserProcessor &);
  ~EqualiserEditor() override;
  void paint(juce::Graphics &) override;
  void resized() override;

private:
  void timerCallback() override;
  EqualiserProcessor &audioProcessor;
  juce::Slider bandSlider;
  juce::AudioProcessorValueTreeState::SliderAttachment bandAttachment;
  JUCE_DECLARE_NON_COPYABLE_WITH_LEAK_DETECTOR(EqualiserEditor)
};
