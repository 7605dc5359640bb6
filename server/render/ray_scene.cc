#include "server/render/ray_scene.h"

#include <embree3/rtcore.h>

namespace tryon {

struct RayScene::Impl {
  RTCDevice device = nullptr;
  RTCScene all = nullptr;     // what the eye meets
  RTCScene opaque = nullptr;  // what stops light

  explicit Impl(const std::vector<RenderPiece>& pieces);
  ~Impl();
};

namespace {

RTCGeometry triangle_geometry(RTCDevice device, const TriangleMesh& mesh) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertex = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                             3 * sizeof(float), mesh.positions.size()));
  for (const Vec3& p : mesh.positions) {
    for (int k = 0; k < 3; ++k) *vertex++ = static_cast<float>(p[k]);
  }
  auto* index = static_cast<unsigned*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                               3 * sizeof(unsigned), mesh.triangles.size()));
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) *index++ = static_cast<unsigned>(t[k]);
  }
  rtcCommitGeometry(geometry);
  return geometry;
}

void fill_ray(RTCRay* ray, const Vec3& origin, const Vec3& direction, double from, double to) {
  ray->org_x = static_cast<float>(origin.x());
  ray->org_y = static_cast<float>(origin.y());
  ray->org_z = static_cast<float>(origin.z());
  ray->dir_x = static_cast<float>(direction.x());
  ray->dir_y = static_cast<float>(direction.y());
  ray->dir_z = static_cast<float>(direction.z());
  ray->tnear = static_cast<float>(from);
  ray->tfar = static_cast<float>(to);
  ray->time = 0.0F;
  ray->mask = 0xFFFFFFFFU;
  ray->id = 0;
  ray->flags = 0;
}

}  // namespace

RayScene::Impl::Impl(const std::vector<RenderPiece>& pieces) : device(rtcNewDevice("threads=1")) {
  all = rtcNewScene(device);
  opaque = rtcNewScene(device);
  rtcSetSceneFlags(all, RTC_SCENE_FLAG_ROBUST);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].mesh.triangles.empty()) continue;
    RTCGeometry geometry = triangle_geometry(device, pieces[i].mesh);
    rtcAttachGeometryByID(all, geometry, static_cast<unsigned>(i));
    if (pieces[i].opacity >= 1.0) rtcAttachGeometryByID(opaque, geometry, static_cast<unsigned>(i));
    rtcReleaseGeometry(geometry);
  }
  rtcCommitScene(all);
  rtcCommitScene(opaque);
}

RayScene::Impl::~Impl() {
  rtcReleaseScene(all);
  rtcReleaseScene(opaque);
  rtcReleaseDevice(device);
}

RayScene::RayScene(const std::vector<RenderPiece>& pieces) : impl_(std::make_unique<Impl>(pieces)) {}
RayScene::~RayScene() = default;

Hit RayScene::nearest(const Vec3& origin, const Vec3& direction, double from) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit query;
  fill_ray(&query.ray, origin, direction, from, 1e30);
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(impl_->all, &context, &query);
  if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
  return {static_cast<int>(query.hit.geomID), static_cast<int>(query.hit.primID), query.ray.tfar, query.hit.u,
          query.hit.v};
}

namespace {

void fill_rays(RTCRay8* rays, const Vec3& origin, const Packet& directions, double reach) {
  for (int k = 0; k < kPacket; ++k) {
    rays->org_x[k] = static_cast<float>(origin.x());
    rays->org_y[k] = static_cast<float>(origin.y());
    rays->org_z[k] = static_cast<float>(origin.z());
    rays->dir_x[k] = directions[k].x(), rays->dir_y[k] = directions[k].y(), rays->dir_z[k] = directions[k].z();
    rays->tnear[k] = 0.0F, rays->tfar[k] = static_cast<float>(reach);
    rays->time[k] = 0.0F, rays->mask[k] = 0xFFFFFFFFU, rays->id[k] = 0, rays->flags[k] = 0;
  }
}

}  // namespace

std::array<Hit, kPacket> RayScene::nearest(const Vec3& origin, const Packet& directions, int count) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  RTCRayHit8 query;
  fill_rays(&query.ray, origin, directions, 1e30);
  alignas(32) int valid[kPacket];
  for (int k = 0; k < kPacket; ++k) {
    valid[k] = k < count ? -1 : 0;
    query.hit.geomID[k] = query.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
  }
  rtcIntersect8(valid, impl_->all, &context, &query);
  std::array<Hit, kPacket> hits;
  for (int k = 0; k < count; ++k) {
    if (query.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID) continue;
    hits[k] = {static_cast<int>(query.hit.geomID[k]), static_cast<int>(query.hit.primID[k]), query.ray.tfar[k],
               query.hit.u[k], query.hit.v[k]};
  }
  return hits;
}

int RayScene::count_blocked(const Vec3& origin, const Packet& directions, double reach) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay8 rays;
  fill_rays(&rays, origin, directions, reach);
  alignas(32) int valid[kPacket];
  for (int& v : valid) v = -1;
  rtcOccluded8(valid, impl_->opaque, &context, &rays);
  int blocked = 0;
  for (const float t : rays.tfar) blocked += t < 0.0F;
  return blocked;
}

}  // namespace tryon
