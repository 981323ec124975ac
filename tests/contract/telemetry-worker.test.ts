import { isBuiltin } from 'node:module';
import { beforeAll, expect, test } from '@jest/globals';
import { createApp, Service, Tool } from '@sigil/core';
import { fetchHandler } from '@sigil/http/fetch';
import { telemetry } from '@sigil/otel';
import { build } from 'esbuild';
import { paramsFor } from './client.js';
import { Recorder, registerApi } from './telemetry-recorder.js';

beforeAll(registerApi);

@Service()
class Desk {
  @Tool()
  hello(): string {
    return 'Hello';
  }
}

test('a call that comes as a Request of the web is traced and measured', async () => {
  await using app = await createApp({ name: 'desk', version: '1.0.0', services: [Desk] });
  const recorder = new Recorder();
  const { tracerProvider, meterProvider } = recorder;
  telemetry(app, { tracerProvider, meterProvider });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'hello',
      traceparent,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: paramsFor('modern', 1, { name: 'hello' }),
    }),
  });
  const response = await fetchHandler(app)(request);
  expect(await response.json()).toHaveProperty('result.content.0.text', 'Hello');
  const { attributes, parentSpanContext } = recorder.span('tools/call hello');
  expect(parentSpanContext?.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  expect(attributes).toMatchObject({ 'network.transport': 'tcp', 'network.protocol.name': 'http' });
  expect(attributes).not.toHaveProperty('network.protocol.version');
  expect(await recorder.points('mcp.server.operation.duration')).toHaveLength(1);
});

test('the package and the API of OpenTelemetry need nothing of Node', async () => {
  const { metafile } = await build({
    stdin: { contents: "export { telemetry } from '@sigil/otel';", resolveDir: process.cwd() },
    external: ['@sigil/core', '@sigil/core/*'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported.filter((path) => isBuiltin(path))).toEqual([]);
  expect([...new Set(imported)].every((path) => path.startsWith('@sigil/core'))).toBe(true);
});
