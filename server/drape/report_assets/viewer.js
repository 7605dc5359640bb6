// The drape in three dimensions. Reads the JSON of the page, touches only the elements of #view.
'use strict';
const report = { data: JSON.parse(document.getElementById('data').textContent) };

report.decode = (text, Type) => {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return new Type(bytes.buffer);
};
report.number = (x, digits = 3) => Number(x.toPrecision(digits)).toLocaleString('en', { maximumSignificantDigits: digits });
report.say = (text) => { document.getElementById('live').textContent = text; };

(function () {
  const { data, decode, number, say } = report;
  const byId = (id) => document.getElementById(id);
  const canvas = byId('canvas');
  canvas.setAttribute('aria-label', 'Picture of ' + data.title + ' on the body, front view');

  function giveUp() {
    canvas.hidden = true;
    byId('controls').hidden = true;
    byId('fallback').hidden = false;
    for (const [view, bytes] of Object.entries(data.pictures)) {
      const image = document.createElement('img');
      image.src = 'data:image/png;base64,' + bytes;
      image.alt = data.title + ' on the body, ' + view;
      byId('pictures').append(image);
    }
  }

  let renderer;
  try {
    renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
  } catch (error) {
    giveUp();
    return;
  }

  // Places are stored as 16-bit steps in the mesh's box.
  function places(packed, box) {
    const steps = decode(packed, Uint16Array);
    const out = new Float32Array(steps.length);
    for (let i = 0; i < steps.length; ++i) out[i] = box.low[i % 3] + box.size[i % 3] * steps[i] / 65535;
    return out;
  }

  function geometryOf(mesh) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(places(mesh.positions, mesh.box), 3));
    geometry.setIndex(new THREE.BufferAttribute(decode(mesh.triangles, Uint32Array), 1));
    geometry.computeVertexNormals();
    return geometry;
  }

  const materialOf = (rgb, more) => new THREE.MeshStandardMaterial(Object.assign(
    { color: new THREE.Color().setRGB(rgb[0], rgb[1], rgb[2]), roughness: 0.9, metalness: 0 }, more));

  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0xe4e2dd);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8c877d, 1.9));
  const lamp = new THREE.DirectionalLight(0xffffff, 1.7);
  const camera = new THREE.PerspectiveCamera(28, 1, 0.05, 40);
  camera.add(lamp);
  lamp.position.set(-1.2, 1.6, 2.0);
  scene.add(camera);

  const garment = new THREE.Mesh(geometryOf(data.garment),
    materialOf(data.garment.colour, { side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -1,
      polygonOffsetUnits: -1 }));
  const body = new THREE.Mesh(geometryOf(data.body), materialOf(data.body.colour, { roughness: 0.75 }));
  scene.add(body, garment);

  // A solid of the body's hull: a sphere, or two ellipses joined.
  function addSolid(solid, positions, indices) {
    const around = 24, along = 10, first = positions.length / 3;
    const mix = (a, b, t) => a + (b - a) * t;
    for (let row = 0; row <= along; ++row) {
      for (let column = 0; column < around; ++column) {
        const angle = 2 * Math.PI * column / around, c = Math.cos(angle), s = Math.sin(angle);
        if (solid.kind === 'sphere') {
          const polar = Math.PI * row / along, r = solid.radius;
          positions.push(solid.center[0] + r * Math.sin(polar) * c, solid.center[1] - r * Math.cos(polar),
            solid.center[2] + r * Math.sin(polar) * s);
          continue;
        }
        const t = Math.min(1, Math.max(0, (row - 1) / (along - 2))), cap = row === 0 || row === along;
        const a = cap ? 0 : mix(solid.bottom_radii[0], solid.top_radii[0], t) * c;
        const b = cap ? 0 : mix(solid.bottom_radii[1], solid.top_radii[1], t) * s;
        for (let k = 0; k < 3; ++k) {
          positions.push(mix(solid.bottom[k], solid.top[k], t) + a * solid.u[k] + b * solid.v[k]);
        }
      }
    }
    for (let row = 0; row < along; ++row) {
      for (let column = 0; column < around; ++column) {
        const a = first + row * around + column, b = first + row * around + (column + 1) % around;
        indices.push(a, a + around, b, b, a + around, b + around);
      }
    }
  }

  let proxies = null;
  function proxyMesh() {
    if (proxies) return proxies;
    const positions = [], indices = [], colours = [];
    for (const solid of data.proxies) {
      addSolid(solid, positions, indices);
      while (colours.length < positions.length) colours.push(...solid.colour);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(colours), 3));
    geometry.setIndex(indices);
    geometry.computeVertexNormals();
    proxies = new THREE.Mesh(geometry, materialOf([1, 1, 1], { vertexColors: true, side: THREE.DoubleSide,
      transparent: true, opacity: 0.55, depthWrite: false }));
    scene.add(proxies);
    return proxies;
  }

  // Where to look from.
  const middle = new THREE.Vector3(), low = data.body.box.low, size = data.body.box.size;
  middle.set(low[0] + size[0] / 2, low[1] + size[1] / 2, low[2] + size[2] / 2);
  const controls = new THREE.OrbitControls(camera, canvas);
  controls.minDistance = 0.3;
  controls.maxDistance = 12;
  function fit() {
    const high = 0.55 * size[1] / Math.tan(camera.fov * Math.PI / 360);
    return Math.max(high, 0.58 * size[0] / Math.tan(camera.fov * Math.PI / 360) / camera.aspect) + size[2] / 2;
  }
  const sides = { front: [0, 0, 1], back: [0, 0, -1], left: [1, 0, 0], right: [-1, 0, 0] };
  function lookFrom(side) {
    const d = sides[side], distance = fit();
    camera.position.set(middle.x + d[0] * distance, middle.y, middle.z + d[2] * distance);
    controls.target.copy(middle);
    controls.update();
    canvas.dataset.view = side;
    canvas.setAttribute('aria-label', 'Picture of ' + data.title + ' on the body, ' + side + ' view');
    draw();
  }

  let asked = false;
  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      renderer.render(scene, camera);
      canvas.dataset.drawn = Number(canvas.dataset.drawn || 0) + 1;
      canvas.dataset.triangles = renderer.info.render.triangles;
      canvas.dataset.azimuth = controls.getAzimuthalAngle().toFixed(3);
    });
  }

  function resize() {
    const box = canvas.parentElement.getBoundingClientRect();
    renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    renderer.setSize(Math.max(1, box.width), Math.max(1, box.height), false);
    camera.aspect = Math.max(1, box.width) / Math.max(1, box.height);
    camera.updateProjectionMatrix();
    draw();
  }

  // Heat maps.
  const heat = byId('heat');
  const linear = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4); };
  const tables = {};
  for (const [name, packed] of Object.entries(data.colour_maps)) tables[name] = decode(packed, Uint8Array);
  const plain = garment.material.color.clone();
  function valuesOf(field) {
    if (!field.decoded) {
      const steps = decode(field.values, Uint16Array);
      field.decoded = Float32Array.from(steps, (s) => field.least + (field.most - field.least) * s / 65535);
    }
    return field.decoded;
  }
  function coloursOf(field) {
    const values = valuesOf(field), table = tables[field.map], out = new Float32Array(3 * values.length);
    for (let i = 0; i < values.length; ++i) {
      const share = Math.min(1, Math.max(0, (values[i] - field.low) / (field.high - field.low)));
      for (let k = 0; k < 3; ++k) out[3 * i + k] = linear(table[3 * Math.round(255 * share) + k]);
    }
    return new THREE.BufferAttribute(out, 3);
  }
  function showScale(field) {
    byId('scale').hidden = !field;
    if (!field) return;
    const table = tables[field.map], stops = [];
    for (let i = 0; i <= 16; ++i) {
      const at = 3 * Math.round(255 * i / 16);
      stops.push('rgb(' + table[at] + ',' + table[at + 1] + ',' + table[at + 2] + ')');
    }
    byId('scale-bar').style.background = 'linear-gradient(to right,' + stops.join(',') + ')';
    const text = (x) => number(x) + ' ' + field.unit;
    byId('scale-low').textContent = text(field.low);
    byId('scale-middle').textContent = text((field.low + field.high) / 2);
    byId('scale-high').textContent = text(field.high);
    byId('scale-note').textContent = 'On this garment: ' + text(field.least) + ' to ' + text(field.most) +
      '; what lies beyond the scale has the colour of its end.';
    byId('scale-bar').setAttribute('aria-label', field.title + ' from ' + text(field.low) + ' to ' + text(field.high));
  }
  let shown = null;
  function paint() {
    shown = data.fields.find((f) => f.key === heat.value) || null;
    const material = garment.material;
    if (shown) garment.geometry.setAttribute('color', coloursOf(shown));
    material.vertexColors = shown !== null;
    material.color.copy(shown ? new THREE.Color(1, 1, 1) : plain);
    material.needsUpdate = true;
    canvas.dataset.heat = shown ? shown.key : '';
    byId('value').hidden = true;
    showScale(shown);
    say(shown ? shown.title + ' is shown.' : 'The fabric is shown.');
    draw();
  }
  heat.append(new Option('Fabric', ''));
  for (const field of data.fields) heat.append(new Option(field.title, field.key));
  heat.addEventListener('change', paint);

  // The value at a place of the picture, -1 .. 1.
  const ray = new THREE.Raycaster();
  function tell(x, y) {
    ray.setFromCamera(new THREE.Vector2(x, y), camera);
    const hit = garment.visible ? ray.intersectObject(garment)[0] : undefined;
    const out = byId('value');
    out.hidden = false;
    if (!hit) {
      out.textContent = 'No cloth there.';
    } else {
      const corners = [hit.face.a, hit.face.b, hit.face.c];
      const nearest = corners.reduce((best, v) => distanceTo(v, hit.point) < distanceTo(best, hit.point) ? v : best);
      const fields = shown ? [shown] : data.fields;
      out.textContent = fields.map((f) => f.title + ' ' + number(valuesOf(f)[nearest]) + ' ' + f.unit).join(' · ');
    }
    say(out.textContent);
  }
  function distanceTo(v, point) {
    return new THREE.Vector3().fromBufferAttribute(garment.geometry.getAttribute('position'), v).distanceTo(point);
  }

  // Wind.
  const frames = data.frames, slider = byId('frame'), play = byId('play');
  let timer = 0;
  const decoded = [];
  const frameAt = (i) => decoded[i] || (decoded[i] = places(frames.positions[i], frames.box));
  function showFrame(i) {
    slider.value = i;
    const attribute = garment.geometry.getAttribute('position');
    attribute.copyArray(frameAt(i));
    attribute.needsUpdate = true;
    garment.geometry.computeVertexNormals();
    garment.geometry.computeBoundingSphere();
    byId('frame-time').textContent = (i * frames.seconds).toFixed(1) + ' s';
    canvas.dataset.frame = i;
    draw();
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = 'Play';
    play.setAttribute('aria-pressed', 'false');
  }
  if (frames) {
    byId('wind').hidden = false;
    slider.max = frames.positions.length - 1;
    slider.addEventListener('input', () => { stop(); showFrame(Number(slider.value)); });
    play.addEventListener('click', () => {
      if (timer) return stop();
      play.textContent = 'Pause';
      play.setAttribute('aria-pressed', 'true');
      timer = setInterval(() => showFrame((Number(slider.value) + 1) % frames.positions.length), 1000 * frames.seconds);
    });
    showFrame(frames.positions.length - 1);
  }

  // Switches, keys, pointer.
  byId('show-garment').addEventListener('change', (e) => { garment.visible = e.target.checked; draw(); });
  byId('show-body').addEventListener('change', (e) => { body.visible = e.target.checked; draw(); });
  byId('show-proxies').addEventListener('change', (e) => { proxyMesh().visible = e.target.checked; draw(); });
  byId('show-wire').addEventListener('change', (e) => { garment.material.wireframe = e.target.checked; draw(); });
  byId('views').addEventListener('click', (e) => { if (e.target.dataset.view) lookFrom(e.target.dataset.view); });

  function turn(sideways, upwards) {
    const arm = camera.position.clone().sub(controls.target), radius = arm.length();
    const azimuth = Math.atan2(arm.x, arm.z) + sideways;
    const polar = Math.min(3.0, Math.max(0.14, Math.acos(arm.y / radius) - upwards));
    arm.set(Math.sin(polar) * Math.sin(azimuth), Math.cos(polar), Math.sin(polar) * Math.cos(azimuth));
    camera.position.copy(controls.target).addScaledVector(arm, radius);
    controls.update();
  }
  function approach(factor) {
    const arm = camera.position.clone().sub(controls.target);
    arm.setLength(Math.min(controls.maxDistance, Math.max(controls.minDistance, arm.length() * factor)));
    camera.position.copy(controls.target).add(arm);
    controls.update();
  }
  const keys = {
    ArrowLeft: () => turn(-0.2, 0), ArrowRight: () => turn(0.2, 0),
    ArrowUp: () => turn(0, 0.15), ArrowDown: () => turn(0, -0.15),
    '+': () => approach(0.85), '=': () => approach(0.85), '-': () => approach(1 / 0.85),
    f: () => lookFrom('front'), b: () => lookFrom('back'), l: () => lookFrom('left'), r: () => lookFrom('right'),
    v: () => tell(0, 0)
  };
  canvas.addEventListener('keydown', (e) => {
    const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act();
    draw();
  });
  let pressed = null;
  canvas.addEventListener('pointerdown', (e) => { pressed = [e.clientX, e.clientY]; });
  canvas.addEventListener('pointerup', (e) => {
    if (!pressed || Math.hypot(e.clientX - pressed[0], e.clientY - pressed[1]) > 3) return;
    const box = canvas.getBoundingClientRect();
    tell(2 * (e.clientX - box.left) / box.width - 1, 1 - 2 * (e.clientY - box.top) / box.height);
  });
  controls.addEventListener('change', draw);
  new ResizeObserver(resize).observe(canvas.parentElement);
  resize();
  lookFrom('front');
})();
