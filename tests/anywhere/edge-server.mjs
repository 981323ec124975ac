/** Serves a bundle in the edge runtime, and prints where: `node edge-server.mjs <bundle> <tools>`. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [bundle, tools] = process.argv.slice(2);
const { EdgeRuntime, runServer } = createRequire(tools)('edge-runtime');
const runtime = new EdgeRuntime({ initialCode: readFileSync(bundle, 'utf8') });
const { url } = await runServer({ runtime, host: '127.0.0.1', port: 0 });
console.log(url);
