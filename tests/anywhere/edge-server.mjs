/** Serves a bundle in the edge runtime, and prints where: `node edge-server.mjs <bundle>`. */
import { readFileSync } from 'node:fs';
import edge from 'edge-runtime';

const [bundle] = process.argv.slice(2);
const { EdgeRuntime, runServer } = edge;
const runtime = new EdgeRuntime({ initialCode: readFileSync(bundle, 'utf8') });
const { url } = await runServer({ runtime, host: '127.0.0.1', port: 0 });
console.log(url);
