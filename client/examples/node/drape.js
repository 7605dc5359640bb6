// Drapes a garment on the sample body through tryon's API; knows nothing of it but what the server's reflection says.
//   npm install @grpc/grpc-js @grpc/proto-loader grpc-js-reflection-client
//   node drape.js 127.0.0.1:8001 t_shirt M out/anna [millimetres]
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const {GrpcReflection} = require('grpc-js-reflection-client');

const [address, template, size, out, resolution] = process.argv.slice(2);
if (!out) {
  console.error('usage: node drape.js HOST:PORT TEMPLATE SIZE FOLDER [MILLIMETRES]');
  process.exit(2);
}
const credentials = grpc.credentials.createInsecure();
const reflection = new GrpcReflection(address, credentials);
const options = {keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true};

async function stub(service) {
  const described = await reflection.getDescriptorBySymbol(service);
  const parts = service.split('.');
  let loaded = described.getPackageObject(options);
  for (const part of parts) loaded = loaded[part];
  return [new loaded(address, credentials), described.getRoot ? described.getRoot() : null];
}

function call(client, method, request) {
  return new Promise((resolve, reject) => {
    client[method](request, (error, response) => (error ? reject(error) : resolve(response)));
  });
}

function last(stream, each) {
  return new Promise((resolve, reject) => {
    let latest = null;
    stream.on('data', (message) => each((latest = message)));
    stream.on('error', reject);
    stream.on('end', () => resolve(latest));
  });
}

async function finished(drapes, operation) {
  const end = await last(drapes.WatchOperation({name: operation.name}), () => process.stdout.write('.'));
  if (end.error) throw new Error(end.error.message);
}

async function main() {
  const [bodies] = await stub('tryon.v1.BodyService');
  const [garments] = await stub('tryon.v1.GarmentService');
  const [drapes] = await stub('tryon.v1.DrapeService');
  const [bytes] = await stub('google.bytestream.ByteStream');

  const body = await call(bodies, 'CreateBody', {source: {sample: true}});
  await finished(drapes, body);
  const garment = await call(garments, 'CreateGarment', {source: {template: {template, size}}});
  await finished(drapes, garment);
  const newest = async (client, method, field) => (await call(client, method, {page_size: 1}))[field][0].name;
  const names = {body: await newest(bodies, 'ListBodies', 'bodies'), garment: await newest(garments, 'ListGarments', 'garments')};
  const operation = await call(drapes, 'CreateDrape', {...names, resolution_mm: Number(resolution || 15)});
  await finished(drapes, operation);
  const drape = await call(drapes, 'GetDrape', {name: operation.name.replace('operations/', 'drapes/')});

  fs.mkdirSync(out, {recursive: true});
  for (const artifact of drape.artifacts) {
    const parts = [];
    await last(bytes.Read({resource_name: `blobs/${artifact.sha256}/${artifact.size_bytes}`}), (m) => parts.push(m.data));
    const data = Buffer.concat(parts);
    if (crypto.createHash('sha256').update(data).digest('hex') !== artifact.sha256) throw new Error('damaged');
    fs.writeFileSync(path.join(out, artifact.file_name), data);
  }
  console.log(`\n${drape.name}: grade ${drape.metrics.grade}, ${drape.artifacts.length} files in ${out}`);
}

main().then(() => process.exit(0), (error) => {
  console.error(`${error.code ?? ''} ${error.details ?? error.message}`);
  process.exit(1);
});
