// What it is: requests from proto to domain, checked on the way: nothing hostile passes.
// Units: as the names say. How it fails: INVALID_ARGUMENT with the proto field. Thread rules: pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "server/drape/fabric_request.h"
#include "server/drape/request.h"
#include "tryon/v1/body.pb.h"
#include "tryon/v1/drape.pb.h"
#include "tryon/v1/fabric.pb.h"
#include "tryon/v1/garment.pb.h"

namespace tryon {

absl::StatusOr<BodyRequest> to_domain(const v1::CreateBodyRequest& request);
absl::StatusOr<GarmentRequest> to_domain(const v1::CreateGarmentRequest& request);
absl::StatusOr<FabricRequest> to_domain(const v1::CreateFabricRequest& request);
// Body and garment are filled in by the service, which knows what their names stand for.
absl::StatusOr<DrapeSettings> to_domain(const v1::CreateDrapeRequest& request);

// Zero where none is given.
absl::StatusOr<absl::Duration> time_limit_of(const v1::CreateDrapeRequest& request);
absl::Duration duration_of(const google::protobuf::Duration& duration);

}  // namespace tryon
