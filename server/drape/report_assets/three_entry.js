// What the viewer uses of three.js; scripts/vendor-three makes three.min.js of it.
export {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, HemisphereLight, Mesh, MeshStandardMaterial,
  PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer
} from 'three';
export { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
