// What it is: a person to dress from a body, as the service stores it. Units and frame: the body's. How it fails: a
// body that cannot be fitted ends the test. Thread rules: a plain function.
#pragma once

#include <utility>

#include "server/body/body.h"
#include "server/drape/assemble.h"

namespace tryon::testing {

inline FittedPerson fitted_person(Body body, bool has_head_and_hands = false) {
  StoredBody stored;
  stored.body = std::move(body);
  stored.proxies.push_back(*fit_proxies(RunContext(), stored.body, ProxyShape::kElliptic));
  stored.has_head_and_hands = has_head_and_hands;
  return *person_to_dress(RunContext(), std::move(stored), ProxyShape::kElliptic);
}

}  // namespace tryon::testing
