#include <algorithm>

#include "server/base/units.h"
#include "server/sim/constraints/threads.h"
#include "server/sim/model.h"

namespace tryon::sim {

namespace {

template <typename T>
void append(const std::vector<T>& from, std::vector<T>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

template <typename List>
void append_shifted(const std::vector<List>& from, int shift, std::vector<List>* to) {
  for (List entry : from) {
    for (int& index : entry) index += shift;
    to->push_back(entry);
  }
}

void append_shifted(const std::vector<int>& from, int shift, std::vector<int>* to) {
  for (const int index : from) to->push_back(index + shift);
}

// Rows of a sparse matrix: their begins go on from the last one's end.
void append_rows(const std::vector<int>& from, std::vector<int>* to) {
  if (from.empty()) return;
  const int shift = to->empty() ? 0 : to->back();
  for (size_t k = to->empty() ? 0 : 1; k < from.size(); ++k) to->push_back(from[k] + shift);
}

void append_springs(const Springs& from, SpringKind kind, int shift, Springs* to) {
  for (int s = 0; s < from.count(); ++s) {
    if (from.kind[s] != kind) continue;
    to->a.push_back(from.a[s] + shift);
    to->b.push_back(from.b[s] + shift);
    to->rest.push_back(from.rest[s]);
    to->stiffness.push_back(from.stiffness[s]);
    to->kind.push_back(kind);
  }
}

void append_hinges(const Hinges& from, int shift, Hinges* to) {
  append_shifted(from.particle, shift, &to->particle);
  append(from.weight, &to->weight);
  append(from.stiffness, &to->stiffness);
}

void append_elements(const DrapeModel& part, int shift, DrapeModel* out) {
  append(part.threads.shape, &out->threads.shape);
  append(part.threads.weft, &out->threads.weft);
  append(part.threads.warp, &out->threads.warp);
  append(part.threads.bias, &out->threads.bias);
  append(part.membranes.shape, &out->membranes.shape);
  append(part.membranes.stiffness, &out->membranes.stiffness);
  append_hinges(part.hinges, shift, &out->hinges);
  append_hinges(part.viscous, shift, &out->viscous);
  append_shifted(part.folds.column, out->folds.count(), &out->folds.column);
  append_shifted(part.folds.particle, shift, &out->folds.particle);
  append(part.folds.rest_angle, &out->folds.rest_angle);
  append(part.folds.edge_length, &out->folds.edge_length);
  append(part.folds.weight, &out->folds.weight);
  append_rows(part.folds.row_begin, &out->folds.row_begin);
  append(part.folds.stiffness, &out->folds.stiffness);
  append_rows(part.bend_matrix.row_begin, &out->bend_matrix.row_begin);
  append_shifted(part.bend_matrix.column, shift, &out->bend_matrix.column);
  append(part.bend_matrix.stiffness, &out->bend_matrix.stiffness);
  const auto before = static_cast<int>(out->triangles.size() - part.triangles.size());
  append_shifted(part.bend_elements.triangle, before, &out->bend_elements.triangle);
  append_shifted(part.bend_elements.particle, shift, &out->bend_elements.particle);
  append(part.bend_elements.weight, &out->bend_elements.weight);
  append(part.bend_elements.stiffness, &out->bend_elements.stiffness);
  append(part.bend_elements.moment, &out->bend_elements.moment);
}

// Of cloths that stretch without limit beside one that does not: none.
void merge_limits(const std::vector<DrapeModel>& parts, std::vector<Real> Threads::*limit, DrapeModel* out) {
  const auto has_none = [&](const DrapeModel& part) { return (part.threads.*limit).empty(); };
  if (std::all_of(parts.begin(), parts.end(), has_none)) return;
  for (const DrapeModel& part : parts) {
    std::vector<Real>& all = out->threads.*limit;
    append(part.threads.*limit, &all);
    if (has_none(part)) all.insert(all.end(), part.threads.shape.size(), thread::kNoLimit);
  }
}

// A cloth that is not damped beside one that is: nothing of its own.
void merge_viscosity(const std::vector<DrapeModel>& parts, DrapeModel* out) {
  if (std::all_of(parts.begin(), parts.end(), [](const DrapeModel& part) { return part.shear_viscosity.empty(); })) {
    return;
  }
  out->shear_viscosity.assign(out->triangles.size(), Real(0));
  size_t at = 0;
  for (const DrapeModel& part : parts) {
    std::copy(part.shear_viscosity.begin(), part.shear_viscosity.end(),
              out->shear_viscosity.begin() + static_cast<ptrdiff_t>(at));
    at += part.triangles.size();
  }
}

}  // namespace

DrapeModel merge_models(const std::vector<DrapeModel>& parts) {
  DrapeModel out;
  for (const DrapeModel& part : parts) {
    const int shift = out.particle_count, fabrics = static_cast<int>(out.fabrics.size());
    out.particle_count += part.particle_count;
    append(part.mass, &out.mass);
    append(part.inverse_mass, &out.inverse_mass);
    append_shifted(part.triangles, shift, &out.triangles);
    append(part.corner_flat, &out.corner_flat);
    append(part.rest_area, &out.rest_area);
    append(part.fabrics, &out.fabrics);
    for (const uint8_t index : part.fabric_index) out.fabric_index.push_back(static_cast<uint8_t>(index + fabrics));
    append_elements(part, shift, &out);
  }
  for (const SpringKind kind :
       {SpringKind::kStructural, SpringKind::kShear, SpringKind::kBend, SpringKind::kSeam, SpringKind::kTether}) {
    int shift = 0;
    for (const DrapeModel& part : parts) {
      append_springs(part.springs, kind, shift, &out.springs);
      shift += part.particle_count;
    }
  }
  merge_viscosity(parts, &out);
  merge_limits(parts, &Threads::limit_weft, &out);
  merge_limits(parts, &Threads::limit_warp, &out);
  double mass = 0.0;
  for (const Real m : out.mass) mass += static_cast<double>(m);
  out.mean_weight = static_cast<Real>(kGravity * mass / std::max(1, out.particle_count));
  return out;
}

}  // namespace tryon::sim
