// node check_report.js REPORT.html FOLDER : opens the report in headless Chromium without network, uses it with the
// pointer and the keyboard, leaves screenshots in FOLDER and prints what is wrong; exit 0 = nothing.
'use strict';
const crypto = require('crypto');
const path = require('path');
const { pathToFileURL } = require('url');
const puppeteer = require('puppeteer-core');

const [file, folder] = process.argv.slice(2);
const chromium = process.env.CHROMIUM || '/usr/bin/chromium';
const faults = [];
const expect = (holds, claim) => { if (!holds) faults.push(claim); };

async function drawn(page) {
  const canvas = await page.$('#canvas');
  const count = () => canvas.evaluate((c) => Number(c.dataset.drawn || 0));
  let last = -1;
  while (last !== await count()) {
    last = await count();
    await new Promise((done) => setTimeout(done, 150));
  }
  return crypto.createHash('sha256').update(await canvas.screenshot()).digest('hex');
}
const data = (page, key) => page.$eval('#canvas', (c, k) => c.dataset[k], key);

async function switches(page) {
  const full = await drawn(page), triangles = Number(await data(page, 'triangles'));
  expect(triangles > 500, `the picture has only ${triangles} triangles`);
  for (const part of ['garment', 'body']) {
    await page.click('#show-' + part);
    expect(await drawn(page) !== full, `the picture does not change without the ${part}`);
    expect(Number(await data(page, 'triangles')) < triangles, `the ${part} is drawn though switched off`);
    await page.click('#show-' + part);
  }
  expect(await drawn(page) === full, 'the picture is another one after switching parts off and on');
  await page.click('#show-proxies');
  expect(await drawn(page) !== full, 'the proxies are not drawn');
  expect(Number(await data(page, 'triangles')) > triangles, 'the proxies have no triangles');
  await page.screenshot({ path: path.join(folder, 'report_proxies.png') });
  await page.click('#show-proxies');
}

async function heatMaps(page) {
  const keys = await page.$$eval('#heat option', (list) => list.map((o) => o.value));
  for (const key of ['strain_warp', 'strain_weft', 'strain_shear', 'distance', 'pressure']) {
    expect(keys.includes(key), `there is no heat map ${key}`);
  }
  const seen = new Set();
  for (const key of keys) {
    await page.select('#heat', key);
    seen.add(await drawn(page));
    const shown = await page.$eval('#scale', (s) => !s.hidden);
    expect(shown === (key !== ''), `the legend of "${key}" is ${shown ? 'shown' : 'absent'}`);
    if (key) expect(/\d/.test(await page.$eval('#scale-high', (s) => s.textContent)), `the legend of ${key} has no numbers`);
    if (key) await page.screenshot({ path: path.join(folder, `report_${key}.png`) });
  }
  expect(seen.size === keys.length, `${keys.length} heat maps look like ${seen.size}`);
  await page.select('#heat', 'strain_warp');
  await page.$eval('#canvas', (c) => c.focus());
  await page.keyboard.press('v');
  const told = await page.$eval('#value', (v) => v.hidden ? '' : v.textContent);
  expect(/No cloth|\d/.test(told), 'the value at a place is not told');
  await page.select('#heat', '');
}

async function turning(page) {
  await page.$eval('#canvas', (c) => c.focus());
  const front = await drawn(page), azimuth = await data(page, 'azimuth');
  await page.keyboard.press('ArrowRight');
  expect(await drawn(page) !== front, 'an arrow key does not turn the picture');
  expect(await data(page, 'azimuth') !== azimuth, 'an arrow key does not turn the camera');
  await page.keyboard.press('b');
  const back = await drawn(page);
  expect(await data(page, 'view') === 'back' && back !== front, 'the key B does not show the back');
  const box = await (await page.$('#canvas')).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 90, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  expect(await drawn(page) !== back, 'dragging does not turn the picture');
  await page.click('[data-view=front]');
  expect(await drawn(page) === front, 'the button Front does not bring the first picture back');
}

async function wind(page) {
  if (await page.$eval('#wind', (w) => w.hidden)) return false;
  const still = await drawn(page);
  await page.focus('#frame');
  await page.keyboard.press('Home');
  expect(await data(page, 'frame') === '0' && await drawn(page) !== still, 'the slider does not show the first moment');
  await page.click('#play');
  await page.waitForFunction(() => document.getElementById('canvas').dataset.frame !== '0', { timeout: 10000 })
    .catch(() => faults.push('the wind does not play'));
  expect(await page.$eval('#play', (p) => p.getAttribute('aria-pressed')) === 'true', 'the button does not say that it plays');
  await page.click('#play');
  return true;
}

// Everything a pointer reaches can be reached by Tab, with a visible mark.
async function keyboard(page) {
  await page.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
  const wanted = await page.$$eval('button, input, select, summary, canvas', (list) =>
    list.filter((e) => e.checkVisibility()).map((e) => e.id || e.dataset.view || e.tagName));
  const reached = new Set();
  for (let i = 0; i < wanted.length + 12; ++i) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(() => {
      const e = document.activeElement, style = getComputedStyle(e);
      return { name: e.id || e.dataset.view || e.tagName, outlined: style.outlineStyle !== 'none' && style.outlineWidth !== '0px' };
    });
    reached.add(now.name);
    expect(now.outlined || now.name === 'BODY', `${now.name} in focus is not marked`);
  }
  for (const name of wanted) expect(reached.has(name), `${name} cannot be reached by Tab`);
  const unnamed = await page.$$eval('input, select, button', (list) =>
    list.filter((e) => !(e.textContent.trim() || (e.labels && e.labels.length))).map((e) => e.id));
  expect(unnamed.length === 0, `without a label: ${unnamed}`);
}

// WCAG 2.1: text at least 4.5 : 1 against what lies behind it.
async function contrast(page) {
  const poor = await page.evaluate(() => {
    const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const part = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4); };
    const light = (c) => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
    const behind = (e) => {
      for (; e; e = e.parentElement) {
        const c = rgb(getComputedStyle(e).backgroundColor);
        if (c.length === 3 || c[3] > 0) return c;
      }
      return [255, 255, 255];
    };
    const out = [];
    for (const e of document.querySelectorAll('h1,h2,h3,p,td,th,label,button,legend,select,summary,span,caption')) {
      if (!e.textContent.trim() || !e.checkVisibility()) continue;
      const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) out.push(`${e.tagName} "${e.textContent.slice(0, 20)}" ${ratio.toFixed(2)}`);
    }
    return out;
  });
  expect(poor.length === 0, 'too little contrast: ' + poor.join('; '));
}

async function contents(page) {
  const facts = await page.evaluate(() => ({
    rows: document.querySelectorAll('#figures tbody tr').length,
    cuts: document.querySelectorAll('#sections svg').length,
    cloth: document.querySelectorAll('#sections svg polygon, #sections svg polyline').length,
    seams: document.querySelectorAll('#pattern svg polyline').length,
    certificate: document.getElementById('certificate').textContent,
    all: document.querySelectorAll('#all tbody tr').length
  }));
  expect(facts.rows >= 8, `the table of figures has ${facts.rows} rows`);
  expect(facts.cuts === 3 && facts.cloth >= 6, `${facts.cuts} cross-sections with ${facts.cloth} lines`);
  expect(facts.seams >= 2, 'the pattern shows no seams');
  expect(/Grade\s*(none|preview|final|reference)/.test(facts.certificate), 'the certificate has no grade');
  expect(facts.all >= 30, `everything measured has ${facts.all} rows`);
}

async function withoutWebGl(browser) {
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(() => { HTMLCanvasElement.prototype.getContext = () => null; });
  await page.goto(pathToFileURL(file).href);
  const pictures = await page.$$eval('#fallback:not([hidden]) img', (list) => list.filter((i) => i.naturalWidth > 0).length);
  expect(pictures === 2, `without WebGL ${pictures} pictures are shown`);
  expect(await page.$$eval('#figures tbody tr', (rows) => rows.length) >= 8, 'without WebGL the tables are missing');
  await page.close();
}

async function main() {
  const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ['--no-sandbox',
    '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--no-first-run'] });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 960, height: 640 });
    page.on('pageerror', (error) => faults.push('script: ' + error.message));
    page.on('console', (m) => { if (m.type() === 'error') faults.push('console: ' + m.text()); });
    page.on('dialog', (dialog) => { faults.push('a text of a file ran as a script'); dialog.dismiss(); });
    page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) faults.push('asks the network for ' + r.url()); });
    page.setDefaultTimeout(120000);  // a machine may be busy
    await page.setOfflineMode(true);
    await page.goto(pathToFileURL(file).href);
    await drawn(page);
    if (!await data(page, 'drawn')) return void faults.push('the viewer draws nothing');
    await page.screenshot({ path: path.join(folder, 'report_front.png') });
    await switches(page);
    await heatMaps(page);
    await turning(page);
    const blows = await wind(page);
    expect(!process.argv.includes('--wind') || blows, 'there is no wind to play');
    await keyboard(page);
    await contrast(page);
    await contents(page);
    expect(await page.evaluate(() => window.hostile === undefined), 'a text of a file ran as a script');
    await page.screenshot({ path: path.join(folder, 'report_page.png'), fullPage: true });
    await page.setViewport({ width: 420, height: 800 });
    await drawn(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= 420), 'a narrow window scrolls sideways');
    await page.screenshot({ path: path.join(folder, 'report_narrow.png') });
    await withoutWebGl(browser);
  } finally {
    await browser.close();
  }
}

main().then(() => {
  for (const fault of faults) console.log(fault);
  process.exit(faults.length ? 1 : 0);
}).catch((error) => { console.error(error); process.exit(2); });
