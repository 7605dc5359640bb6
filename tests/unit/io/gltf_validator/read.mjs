// node read.mjs FILE.glb : what an independent reader (glTF-Transform, Draco's own decoder) finds in it, as JSON.
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import draco3d from 'draco3d';

const io = new NodeIO().registerExtensions(ALL_EXTENSIONS)
  .registerDependencies({ 'draco3d.decoder': await draco3d.createDecoderModule() });
const root = (await io.read(process.argv[2])).getRoot();

// Range of an attribute in the scene's frame (places) or as it stands, and of what the indices name.
function range(accessor, matrix) {
  const low = [], high = [];
  for (let i = 0; i < accessor.getCount(); ++i) {
    let e = accessor.getElement(i, []);
    if (matrix) {
      e = [0, 1, 2].map((r) => matrix[r] * e[0] + matrix[r + 4] * e[1] + matrix[r + 8] * e[2] + matrix[r + 12]);
    }
    e.forEach((x, k) => { low[k] = Math.min(low[k] ?? x, x); high[k] = Math.max(high[k] ?? x, x); });
  }
  return { low, high };
}

const pieces = [];
for (const node of root.listNodes()) {
  if (!node.getMesh()) continue;
  for (const primitive of node.getMesh().listPrimitives()) {
    const attributes = {};
    for (const name of primitive.listSemantics()) {
      attributes[name] = range(primitive.getAttribute(name), name === 'POSITION' ? node.getWorldMatrix() : null);
    }
    const variants = primitive.getExtension('KHR_materials_variants');
    pieces.push({
      name: node.getName(), vertices: primitive.getAttribute('POSITION').getCount(),
      triangles: primitive.getIndices().getCount() / 3, attributes, targets: primitive.listTargets().length,
      variants: variants ? variants.listMappings().flatMap((m) => m.listVariants().map((v) => ({
        name: v.getName(), textured: m.getMaterial().getBaseColorTexture() !== null,
        coordinate: m.getMaterial().getBaseColorTextureInfo()?.getTexCoord() ?? 0
      }))) : []
    });
  }
}
const animations = root.listAnimations().map((a) => ({
  name: a.getName(), keys: a.listSamplers()[0].getInput().getCount(),
  seconds: range(a.listSamplers()[0].getInput()).high[0], weights: a.listSamplers()[0].getOutput().getCount()
}));
console.log(JSON.stringify({ pieces, animations, textures: root.listTextures().map((t) => t.getSize()) }));
