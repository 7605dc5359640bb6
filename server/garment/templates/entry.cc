#include "server/garment/templates/entry.h"

namespace tryon {

TemplateParameters operator+(TemplateParameters list, const TemplateParameters& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

Pattern finished(PatternDraft* draft) {
  Pattern pattern = draft->take();
  for (Panel& panel : pattern.panels) {
    panel.placed = false;
    panel.grain_given = true;
  }
  return pattern;
}

}  // namespace tryon
