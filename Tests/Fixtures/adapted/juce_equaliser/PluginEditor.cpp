// PluginEditor.cpp: draws the equaliser's window, with parts of JUCE that this host does not provide.
// SPDX-License-Identifier: MIT
#include "PluginEditor.h"

EqualiserEditor::EqualiserEditor(EqualiserProcessor &p)
    : AudioProcessorEditor(&p), audioProcessor(p), bandSlider("Band"),
      bandAttachment(p.state, "band", bandSlider) {
  addAndMakeVisible(bandSlider);
  setSize(400, 300);
  startTimerHz(30);
}
EqualiserEditor::~EqualiserEditor() {}
void EqualiserEditor::paint(juce::Graphics &g) {
  g.fillAll(getLookAndFeel().findColour(juce::ResizableWindow::backgroundColourId));
  g.drawFittedText("Equaliser", getLocalBounds(), juce::Justification::centred, 1);
}
void EqualiserEditor::resized() { bandSlider.setBounds(getLocalBounds().reduced(10)); }
void EqualiserEditor::timerCallback() { repaint(); }
