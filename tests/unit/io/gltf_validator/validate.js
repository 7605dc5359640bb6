// node validate.js FILE.glb ... : prints every message of the Khronos validator; exit 0 = no errors and no warnings.
'use strict';
const fs = require('fs');
const validator = require('gltf-validator');

async function validate(path) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)), {uri: path});
  const { numErrors, numWarnings, messages } = report.issues;
  for (const m of messages) console.log(`${path}: ${m.code} ${m.message} ${m.pointer || ''}`);
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings`);
  return numErrors + numWarnings;
}

Promise.all(process.argv.slice(2).map(validate))
  .then((counts) => process.exit(counts.length > 0 && counts.every((n) => n === 0) ? 0 : 1))
  .catch((error) => { console.error(error); process.exit(2); });
