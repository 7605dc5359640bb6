// Everything below the viewer: fit, size advice, figures, cross-sections, pattern, certificate. Texts of files become
// text nodes only.
'use strict';
(function () {
  const { data, number } = report;
  const metrics = data.metrics;
  const byId = (id) => document.getElementById(id);
  const words = (key) => key.replace(/_/g, ' ');

  function make(tag, text, className) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }
  function show(id, ...parts) {
    byId(id).hidden = false;
    byId(id).append(...parts);
  }
  const textOf = (value, digits = 4) => typeof value === 'number'
    ? (Number.isInteger(value) ? value.toLocaleString('en') : number(value, digits))
    : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);

  // rows: arrays of cells; a number stands to the right, an element as it is. The first cell heads its row.
  function table(caption, heads, rows) {
    const out = make('table');
    if (caption) out.append(make('caption', caption));
    if (heads) {
      const line = out.createTHead().insertRow();
      heads.forEach((head, i) => {
        const cell = make('th', head, rows.some((row) => typeof row[i] === 'number') ? 'number' : '');
        cell.scope = 'col';
        line.append(cell);
      });
    }
    const bodyPart = out.createTBody();
    for (const row of rows) {
      const line = bodyPart.insertRow();
      row.forEach((value, i) => {
        const cell = make(i === 0 ? 'th' : 'td');
        if (i === 0) cell.scope = 'row';
        if (value instanceof Node) cell.append(value);
        else if (value !== undefined && value !== null) cell.textContent = textOf(value);
        if (typeof value === 'number') cell.className = 'number';
        line.append(cell);
      });
    }
    const wrap = make('div', undefined, 'scroll');
    wrap.append(out);
    return wrap;
  }

  function head() {
    document.title = data.title + ' – drape report';
    byId('title').textContent = data.title;
    byId('subtitle').textContent = data.subtitle.join(' · ');
    const grade = metrics.equilibrium && metrics.equilibrium.grade;
    if (grade) {
      byId('grade').hidden = false;
      byId('grade').textContent = 'Grade: ' + grade;
    }
  }

  const at = (path) => path.split('.').reduce((x, key) => x === undefined || x === null ? undefined : x[key], metrics);
  // What a tailor asks first: path, words, factor, unit.
  const figures = [
    ['mesh.triangles', 'Triangles of the cloth', 1, ''], ['mesh.edge_mm', 'Length of their edges', 1, 'mm'],
    ['hang.area_m2', 'Area of the cloth as it hangs', 1, 'm²'], ['hang.top_m', 'Highest point', 1, 'm'],
    ['hang.hem_m', 'Lowest point of the hem', 1, 'm'],
    ['strain.warp.p95', 'Strain along the warp, 95 % of the cloth below', 100, '%'],
    ['strain.weft.p95', 'Strain along the weft, 95 % of the cloth below', 100, '%'],
    ['strain.shear.p95', 'Shear, 95 % of the cloth below', 100, '%'],
    ['pressure_pa.p95', 'Contact pressure, 95 % below', 1, 'Pa'], ['pressure_pa.max', 'Highest pressure', 1, 'Pa'],
    ['seams.count', 'Seams', 1, ''], ['seams.max_gap_mm', 'Widest seam gap', 1, 'mm'],
    ['penetration.max_depth_mm', 'Deepest in the body', 1, 'mm'],
    ['self_intersections', 'Triangle pairs that cross', 1, ''], ['body.height_m', 'Height of the person', 1, 'm']
  ];
  function figureTables() {
    const rows = [];
    for (const [path, label, factor, unit] of figures) {
      const value = at(path);
      if (typeof value === 'number') rows.push([label, value * factor, unit]);
    }
    const ease = Object.entries(metrics.ease_mm || {}).filter(([, v]) => typeof v === 'number')
      .map(([name, v]) => ['Ease at the ' + words(name), v, 'mm']);
    show('figures', table('Key figures of this drape', ['Figure', 'Value', 'Unit'], rows.concat(ease)));
  }

  function verdict(word) {
    const known = ['tight', 'fitted', 'regular', 'loose'];
    return make('span', word, 'verdict' + (known.includes(word) ? ' ' + word : ''));
  }
  function flatten(object, prefix, out) {
    for (const [key, value] of Object.entries(object)) {
      const path = prefix ? prefix + '.' + key : key;
      if (value !== null && typeof value === 'object' && !(Array.isArray(value) && value.every((v) => typeof v !== 'object'))) {
        flatten(value, path, out);
      } else {
        out.push([path, Array.isArray(value) ? value.map((v) => textOf(v)).join(', ') : value]);
      }
    }
    return out;
  }
  // Columns of a list of results: path, head, factor. A column that no row has is left out.
  const zoneColumns = [
    ['verdict', 'Verdict'], ['because', 'Decided by'], ['ease.ease_mm', 'Ease, mm'], ['ease.room_mm', 'Room where the tape lies, mm'],
    ['ease.rest_ease_percent', 'Ease of the cut, %'],
    ['distance_mm.mean', 'Distance, mean mm'], ['distance_mm.p95', 'Distance, 95 % below, mm'],
    ['strain.warp.p95', 'Warp strain, 95 % below, %', 100], ['strain.weft.p95', 'Weft strain, 95 % below, %', 100],
    ['strain.bias.p95', 'Bias strain, 95 % below, %', 100], ['pressure_pa.mean', 'Pressure, mean Pa'],
    ['pressure_pa.max', 'Pressure, highest Pa'], ['coverage', 'Covered, %', 100],
    ['thresholds.rest_ease_percent', 'Fitted, regular, loose from ease, %'],
    ['thresholds.mean_distance_mm', 'Fitted, regular, loose from distance, mm']
  ];
  const find = (object, path) => path.split('.').reduce((x, key) => x === undefined || x === null ? undefined : x[key], object);
  function cellOf(value, path, factor) {
    if (path === 'verdict' && value !== undefined) return verdict(String(value));
    if (path.startsWith('thresholds.') && value) return [value.tight_below, value.fitted_below, value.regular_below].join(' / ');
    return typeof value === 'number' ? value * (factor || 1) : value;
  }
  function resultTable(caption, first, names, list, columns) {
    const used = columns.filter(([path]) => list.some((row) => find(row, path) !== undefined));
    return table(caption, [first].concat(used.map(([, head]) => head)), list.map((row, i) =>
      [words(String(names[i]))].concat(used.map(([path, , factor]) => cellOf(find(row, path), path, factor)))));
  }
  function zones() {
    const list = Array.isArray(metrics.zones) ? metrics.zones : [];
    if (!list.length) return;
    show('fit', resultTable('From head to foot; a verdict is the first of its zone\'s thresholds that its ease or distance ' +
      'stays below, and tight where pressure or strain pass their limits.', 'Zone', list.map((z) => z.name), list, zoneColumns));
  }
  // tryon.size_advice.v1
  function advice() {
    const told = data.size_advice;
    if (!told || !Array.isArray(told.sizes) || !told.sizes.length) return;
    const lead = 'Advised size: ' + textOf(told.advised) +
      (typeof told.confidence === 'number' ? ' (confidence ' + Math.round(100 * told.confidence) + ' %)' : '');
    const strong = make('p');
    strong.append(make('strong', lead));
    show('advice', strong, ...[].concat(told.says || []).map((text) => make('p', textOf(text))));
    if (told.chart) show('advice', make('p', 'Size chart: ' + textOf(told.chart.size) + (told.chart.why ? '. ' + told.chart.why : '')));
    const rows = told.sizes.map((s) => ({ misfit: s.misfit, grade: s.grade, says: [].concat(s.says || []).join(' ') }));
    show('advice', resultTable('All sizes, the best first; a smaller misfit is a better fit.', 'Size',
      told.sizes.map((s) => s.size), rows, [['misfit', 'Misfit'], ['grade', 'Grade'], ['says', 'Why']]));
    const side = told.comparison;
    if (!side || !Array.isArray(side.rows) || !side.rows.length) return;
    show('advice', table('Sizes side by side', ['Zone', 'What', 'Unit'].concat(side.columns), side.rows.map((row) =>
      [words(textOf(row.zone)), words(textOf(row.quantity)), row.unit || ''].concat(row.values.map((v) =>
        row.quantity === 'verdict' && v !== null ? verdict(String(v)) : v)))));
  }

  const svgNode = (tag, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  // Seen from above, the person looking down the page.
  function outline(line, attributes) {
    const points = [];
    for (let i = 0; i < line.points.length; i += 2) points.push(line.points[i] + ',' + line.points[i + 1]);
    return svgNode(line.closed ? 'polygon' : 'polyline', Object.assign({ points: points.join(' ') }, attributes));
  }
  function cut(section, box) {
    const figure = make('figure');
    figure.style.margin = 0;
    const told = [words(section.level) + ', ' + number(section.height_mm / 1000) + ' m above the floor'];
    if (section.body_girth_mm) told.push('body ' + section.body_girth_mm + ' mm');
    if (section.cloth_girth_mm) told.push('garment ' + section.cloth_girth_mm + ' mm');
    if (section.body_girth_mm && section.cloth_girth_mm) {
      told.push('ease ' + Math.round(10 * (section.cloth_girth_mm - section.body_girth_mm)) / 10 + ' mm');
    }
    const svg = svgNode('svg', { viewBox: box.join(' '), role: 'img', 'aria-label': told.join(', ') });
    const thin = { 'vector-effect': 'non-scaling-stroke', 'stroke-linejoin': 'round' };
    for (const line of section.body) {
      svg.append(outline(line, Object.assign({ fill: line.closed ? '#e2cfbd' : 'none', stroke: '#7a5a40',
        'stroke-width': 1 }, thin)));
    }
    for (const line of section.cloth) {
      svg.append(outline(line, Object.assign({ fill: 'none', stroke: '#134e8a', 'stroke-width': 2.2 }, thin)));
    }
    const y = box[1] + box[3] - 14, x = box[0] + 12;
    svg.append(svgNode('path', Object.assign({ d: `M${x} ${y - 6}v12M${x} ${y}h100M${x + 100} ${y - 6}v12`, fill: 'none',
      stroke: '#1b1b1f', 'stroke-width': 1.4 }, thin)));
    const label = svgNode('text', { x: x + 108, y: y + 6, 'font-size': 18, fill: '#1b1b1f' });
    label.textContent = '100 mm';
    svg.append(label);
    const caption = make('figcaption');
    caption.append(make('h3', words(section.level)), make('p', told.slice(0).join(' · '), 'small'));
    figure.append(svg, caption);
    return figure;
  }
  function crossSections() {
    if (!data.sections.length) return;
    let left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
    for (const s of data.sections) {
      for (const line of s.body.concat(s.cloth)) {
        for (let i = 0; i < line.points.length; i += 2) {
          left = Math.min(left, line.points[i]), right = Math.max(right, line.points[i]);
          top = Math.min(top, line.points[i + 1]), bottom = Math.max(bottom, line.points[i + 1]);
        }
      }
    }
    const box = [left - 20, top - 20, right - left + 40, bottom - top + 70];
    const grid = make('div', undefined, 'cuts');
    grid.append(...data.sections.map((s) => cut(s, box)));
    show('sections', make('p', 'Level cuts seen from above, the person facing down the page: the body filled, the garment ' +
      'a line. The girth of the body is the tape\'s; that of the garment runs along the cloth.', 'small'), grid);
  }

  function pattern() {
    if (!data.pattern_svg) return;
    const parsed = new DOMParser().parseFromString(data.pattern_svg, 'image/svg+xml');
    if (parsed.getElementsByTagName('parsererror').length) return;
    const svg = document.importNode(parsed.documentElement, true);
    svg.removeAttribute('width');
    svg.removeAttribute('height');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', 'The flat pieces of ' + data.title + ' with their seams');
    const holder = make('div', undefined, 'flat');
    holder.append(svg);
    show('pattern', make('p', 'The two sides of a seam have one colour and one number; dashed lines stay open.', 'small'),
      holder);
  }

  const grades = {
    reference: 'Converged beyond what further refinement of the drape would show.',
    final: 'At rest: the forces on every part of the cloth balance.',
    preview: 'Nearly at rest: good to look at; figures may still move a little.',
    none: 'Not at rest: the shape may still change, and figures with it.'
  };
  function certificate() {
    const e = metrics.equilibrium || {}, rows = [];
    const add = (label, value, unit) => { if (value !== undefined) rows.push([label, value, unit || '']); };
    add('Grade', e.grade);
    add('Ended because', e.termination);
    add('Largest net force on a point of the cloth', e.residual_max, 'mean weights');
    add('Root mean square of the net forces', e.residual_rms, 'mean weights');
    add('Widest seam gap', at('seams.max_gap_mm'), 'mm');
    add('Deepest in the body', at('penetration.max_depth_mm'), 'mm');
    add('Deepest between vertices too', at('penetration.deepest_mm'), 'mm');
    add('Volume of cloth in the body', at('penetration.volume_cm3'), 'cm³');
    add('Triangle pairs that cross', metrics.self_intersections);
    add('The same in the worst frame of the motion', at('motion.self_intersections_max'));
    add('Speed at the end of the motion (99.5 % are slower)', at('motion.end_speed_p99_5_mm_per_s'), 'mm/s');
    add('Stretch along seams (95 % are below)', at('seams.strain_along.p95'), 'ratio');
    add('Shear (99 % are below)', at('strain.shear_deg.p99'), 'degrees');
    add('Least area of a triangle', at('strain.area_ratio_min'), 'of its rest');
    add('Largest line tension', at('line_tension_n_per_m.max'), 'N/m');
    add('Weight of a strip as long as the garment', at('line_tension_n_per_m.own_weight'), 'N/m');
    add('Moment that is not balanced', at('contact_force.unbalanced_moment'), 'weight × height');
    add('Engine', at('engine.version'));
    add('Solver', at('engine.solver'));
    add('SHA-256 of the request', at('engine.request_digest'));
    add('SHA-256 of the shape', at('engine.result_digest'));
    if (grades[e.grade]) byId('certificate').append(make('p', grades[e.grade]));
    byId('certificate').append(table('', ['Check', 'Result', 'Unit'], rows));
  }

  function everything() {
    const details = make('details');
    details.append(make('summary', 'All figures of metrics.json'),
      table('', ['Key', 'Value'], flatten(metrics, '', [])));
    byId('all').append(details);
  }

  head();
  figureTables();
  zones();
  advice();
  crossSections();
  pattern();
  certificate();
  everything();
})();
