// HTTP and JSON in front of tryon: reads the paths from the API's own annotations (google.api.http) and knows nothing else
// of it. One process, no state; for the internet use one that is made for it (docker/README.md).
//   npm install @bufbuild/protobuf @grpc/grpc-js
//   protoc -I proto --include_imports --descriptor_set_out=tryon.protoset $(cd proto && find . -name '*.proto')
//   node gateway.js tryon.protoset 127.0.0.1:8001 127.0.0.1:8080
//   curl -d '{"source": {"sample": true}}' 127.0.0.1:8080/v1/bodies
// A stream is one JSON object a line. An error is google.rpc.Status with the HTTP status that goes with its code.
'use strict';
const fs = require('fs');
const http = require('http');
const grpc = require('@grpc/grpc-js');
const {createFileRegistry, create, fromBinary, fromJson, getOption, toBinary, toJson} = require('@bufbuild/protobuf');
const {FileDescriptorSetSchema} = require('@bufbuild/protobuf/wkt');

const MAX_BODY_BYTES = 4 << 20;
const HTTP_STATUS = {1: 499, 2: 500, 3: 400, 4: 504, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400, 12: 501,
  13: 500, 14: 503, 15: 500, 16: 401};

// "/v1/{name=bodies/*}:run" -> what a path must look like, and the field that it fills.
function pattern(template) {
  const fields = [];
  const source = template.replace(/\{(\w+)=([^}]*)\}|[.*+?^$()|[\]\\]/g, (found, field, inner) => {
    if (!field) return '\\' + found;
    fields.push(field);
    return `(${inner.replace(/\*/g, '[^/:]+')})`;
  });
  return {expression: new RegExp(`^${source}$`), fields};
}

function routesOf(registry) {
  const option = registry.getExtension('google.api.http');
  const routes = [];
  for (const type of registry) {
    for (const method of type.kind === 'service' ? type.methods : []) {
      const rule = getOption(method, option);
      if (rule.pattern.case) {
        routes.push({verb: rule.pattern.case.toUpperCase(), ...pattern(rule.pattern.value), body: rule.body, method});
      }
    }
  }
  return routes;
}

function bodyOf(incoming) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let size = 0;
    incoming.on('data', (part) => {
      size += part.length;
      if (size <= MAX_BODY_BYTES) parts.push(part);
    });
    incoming.on('error', reject);
    incoming.on('end', () => {
      if (size > MAX_BODY_BYTES) return reject(new Error(`the body is larger than ${MAX_BODY_BYTES} bytes`));
      resolve(Buffer.concat(parts).toString('utf8'));
    });
  });
}

// Fields of the path, of the query and of the body, as one message.
async function requestOf(route, found, query, incoming) {
  const {input} = route.method;
  const json = route.body === '*' ? JSON.parse((await bodyOf(incoming)) || '{}') : {};
  for (const [key, value] of query) {
    const field = input.fields.find((f) => f.name === key || f.jsonName === key);
    if (!field || route.body === '*') throw new Error(`no such query parameter: ${key}`);
    json[field.jsonName] = field.fieldKind === 'list' ? [...(json[field.jsonName] ?? []), value] : value;
  }
  route.fields.forEach((field, i) => (json[field] = decodeURIComponent(found[i + 1])));
  return fromJson(input, json);
}

function statusOf(registry, error) {
  const schema = registry.getMessage('google.rpc.Status');
  const [details] = error.metadata?.get('grpc-status-details-bin') ?? [];
  const status = details ? fromBinary(schema, details) : create(schema, {code: error.code, message: error.details});
  return toJson(schema, status, {registry});
}

function fail(outgoing, registry, error) {
  const known = error.code in HTTP_STATUS ? error : {code: 3, details: error.message};
  if (outgoing.headersSent) return outgoing.end(JSON.stringify({error: statusOf(registry, known)}) + '\n');
  outgoing.writeHead(HTTP_STATUS[known.code], {'content-type': 'application/json'});
  outgoing.end(JSON.stringify(statusOf(registry, known)) + '\n');
}

function forward(client, registry, method, request, metadata, outgoing) {
  const path = `/${method.parent.typeName}/${method.name}`;
  const write = (message) => Buffer.from(toBinary(method.input, message));
  const read = (bytes) => fromBinary(method.output, bytes);
  const send = (message) => outgoing.write(JSON.stringify(toJson(method.output, message, {registry})) + '\n');
  const head = () => outgoing.writeHead(200, {'content-type': 'application/json'});
  if (method.methodKind === 'unary') {
    return client.makeUnaryRequest(path, write, read, request, metadata, (error, answer) => {
      if (error) return fail(outgoing, registry, error);
      head(), send(answer), outgoing.end();
    });
  }
  const stream = client.makeServerStreamRequest(path, write, read, request, metadata);
  stream.on('data', (message) => (outgoing.headersSent || head(), send(message)));
  stream.on('error', (error) => fail(outgoing, registry, error));
  stream.on('end', () => (outgoing.headersSent || head(), outgoing.end()));
  return stream;
}

function metadataOf(incoming) {
  const metadata = new grpc.Metadata();
  if (incoming.headers.authorization) metadata.set('authorization', incoming.headers.authorization);
  return metadata;
}

async function answer(gateway, incoming, outgoing) {
  const url = new URL(incoming.url, 'http://gateway');
  for (const route of gateway.routes) {
    const found = route.verb === incoming.method && route.expression.exec(url.pathname);
    if (!found) continue;
    const request = await requestOf(route, found, url.searchParams, incoming);
    const call = forward(gateway.client, gateway.registry, route.method, request, metadataOf(incoming), outgoing);
    outgoing.on('close', () => call.cancel());
    return;
  }
  fail(outgoing, gateway.registry, {code: 5, details: `no method answers ${incoming.method} ${url.pathname}`});
}

function main([descriptors, server, listen]) {
  if (!listen) {
    console.error('usage: node gateway.js DESCRIPTOR_SET SERVER:PORT LISTEN:PORT');
    process.exit(2);
  }
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, fs.readFileSync(descriptors)));
  const client = new grpc.Client(server, grpc.credentials.createInsecure());
  const gateway = {registry, routes: routesOf(registry), client};
  const [host, port] = listen.split(':');
  const serving = http.createServer((incoming, outgoing) => {
    answer(gateway, incoming, outgoing).catch((error) => fail(outgoing, registry, error));
  });
  serving.listen(Number(port), host, () => console.log(`http://${host}:${serving.address().port}`));
}

main(process.argv.slice(2));
