// What it is: unit conversions and physical constants. SI inside; a unit stands in a name only where it is not SI.
#pragma once

namespace tryon {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kGravity = 9.80665;   // m/s^2, standard gravity
inline constexpr double kAirDensity = 1.204;  // kg/m^3 at 20 degrees C
constexpr double from_mm(double mm) { return mm * 1e-3; }
constexpr double to_mm(double metres) { return metres * 1e3; }
constexpr double from_cm(double cm) { return cm * 1e-2; }
constexpr double to_cm(double metres) { return metres * 1e2; }
constexpr double radians(double degrees) { return degrees * kPi / 180.0; }
constexpr double degrees(double radians_) { return radians_ * 180.0 / kPi; }

}  // namespace tryon
