"""Blender's cloth on panels that are staged round a body, for comparison with ours:
blender --background --factory-startup --python blender_cloth.py -- PANELS.obj BODY.obj FRAMES OUT.obj

PANELS.obj: v in metres, +Y up, f of the panels, l A B for each stitch (they become sewing springs). OUT.obj has the same
vertices after FRAMES frames at 24 a second, and comment lines: "seconds", what the simulation alone took, and
"moved", how many metres a vertex went in the last frame, in the mean.
"""
import sys
import time

import bpy


def read(path):
    points, faces, stitches = [], [], []
    for line in open(path):
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            x, y, z = map(float, words[1:4])
            points.append((x, -z, y))  # Blender's z is up
        elif words[0] == "f":
            faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
        elif words[0] == "l":
            stitches.append((int(words[1]) - 1, int(words[2]) - 1))
    return points, faces, stitches


def add(name, points, edges, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, edges, faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


def dress(panels):
    points, faces, stitches = read(panels)
    cloth = add("cloth", points, stitches, faces)
    modifier = cloth.modifiers.new("cloth", "CLOTH")
    settings = modifier.settings
    settings.quality = 10
    settings.mass = 0.12 * area(points, faces) / len(points)  # of a vertex
    settings.use_sewing_springs = True
    settings.sewing_force_max = 0  # no limit
    settings.tension_stiffness = settings.compression_stiffness = 80  # Blender's denim
    settings.shear_stiffness = 80
    settings.bending_stiffness = 10
    settings.air_damping = 3
    modifier.collision_settings.collision_quality = 5
    modifier.collision_settings.distance_min = 0.003
    modifier.collision_settings.use_self_collision = True
    modifier.collision_settings.self_distance_min = 0.002
    modifier.collision_settings.friction = 5
    return cloth, modifier, faces


def area(points, faces):
    total = 0.0
    for a, b, c in faces:
        u = [points[b][i] - points[a][i] for i in range(3)]
        v = [points[c][i] - points[a][i] for i in range(3)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        total += 0.5 * (n[0] ** 2 + n[1] ** 2 + n[2] ** 2) ** 0.5
    return total


def main(panels, body, frames, out):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    points, faces, _ = read(body)
    person = add("person", points, [], faces)
    person.modifiers.new("collision", "COLLISION")
    person.collision.thickness_outer = 0.003
    cloth, modifier, faces = dress(panels)
    scene = bpy.context.scene
    scene.frame_end = modifier.point_cache.frame_end = int(frames)
    start = time.monotonic()
    now = []
    for frame in range(1, int(frames) + 1):
        scene.frame_set(frame)
        drawn = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
        before, now = now, [vertex.co.copy() for vertex in drawn.data.vertices]
    seconds = time.monotonic() - start
    with open(out, "w") as file:
        print("# seconds", seconds, file=file)
        print("# moved", sum((a - b).length for a, b in zip(now, before)) / len(now), file=file)
        for vertex in drawn.data.vertices:
            x, y, z = vertex.co
            print("v", x, z, -y, file=file)
        for face in faces:
            print("f", *[i + 1 for i in face], file=file)


main(*sys.argv[sys.argv.index("--") + 1 :])
