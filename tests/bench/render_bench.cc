// What it is: the cost of pictures: four views of a pleated tube of cloth round a post, 50,000 triangles, 1024 pixels
// high, in one thread and in two (the real time of two means something on an idle machine only; the CPU time is of both
// together), and a picture's way to PNG.
#include <benchmark/benchmark.h>

#include <cmath>

#include "server/base/units.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

// A tube of `around` x `along` quads whose radius waves: cloth in pleats, or with no wave a post.
RenderPiece tube(int around, int along, double radius, double wave, double height) {
  RenderPiece piece;
  for (int j = 0; j <= along; ++j) {
    for (int i = 0; i < around; ++i) {
      const double a = 2 * kPi * i / around, t = static_cast<double>(j) / along;
      const double r = radius * (1.0 + wave * (1.0 - t) * std::sin(16 * a)) * (1.4 - 0.4 * t);
      piece.mesh.positions.emplace_back(r * std::sin(a), height * t, r * std::cos(a));
    }
  }
  for (int j = 0; j < along; ++j) {
    for (int i = 0; i < around; ++i) {
      const int a = j * around + i, b = j * around + (i + 1) % around;
      piece.mesh.triangles.push_back({a, b, b + around});
      piece.mesh.triangles.push_back({a, b + around, a + around});
    }
  }
  return piece;
}

std::vector<RenderPiece> scene() {
  std::vector<RenderPiece> pieces = {tube(100, 125, 0.12, 0.0, 1.7), tube(250, 50, 0.2, 0.12, 0.9)};
  pieces[1].cloth = true;
  for (Vec3& p : pieces[1].mesh.positions) p.y() += 0.5;
  return pieces;
}

// Arguments: width, threads.
void four_views(benchmark::State& state) {
  const std::vector<RenderPiece> pieces = scene();
  Executor executor(static_cast<int>(state.range(1)));
  RunContext run;
  run.executor = &executor;
  const RenderSettings settings{.width = static_cast<int>(state.range(0)), .height = 1024};
  for (auto _ : state) {
    const auto studio = Studio::of(pieces);
    for (const View view : {View::kFront, View::kBack, View::kLeft, View::kRight}) {
      const auto image = studio->view(run, view, settings);
      if (!image.ok()) state.SkipWithError("the picture was refused");
      benchmark::DoNotOptimize(image);
    }
  }
  state.counters["triangles"] = pieces[0].mesh.triangle_count() + pieces[1].mesh.triangle_count();
}
BENCHMARK(four_views)
    ->Args({768, 1})
    ->Args({1024, 1})
    ->Args({768, 2})
    ->Args({1024, 2})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void one_png(benchmark::State& state) {
  const auto image = render_view(RunContext{}, scene(), View::kFront, RenderSettings{});
  for (auto _ : state) benchmark::DoNotOptimize(encode_png(*image));
}
BENCHMARK(one_png)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tryon
