// Serves one bucket on loopback; prints the port. node serve.js FOLDER
const S3rver = require('s3rver');
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: process.argv[2],
  configureBuckets: [{ name: 'tryon' }],
});
server.run().then((address) => console.log(address.port));
