#include "server/mesh/closest_point.h"
namespace tryon {}
