import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RunningWorker, startWorker, WORKERD } from './frameworks/workerd.js';
import { post } from './modern-http.js';
import { sigil } from './sigil-command.js';

const project = mkdtempSync(join(tmpdir(), 'sigil-deadlines-'));

const WORKER = `
import { createApp, defineTool } from '@sigil/core';
import { worker } from '@sigil/workers';
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms, 'done'));
const tools = () => [
  defineTool({ name: 'quick', guards: [async () => true], handle: () => after(1) }),
  defineTool({ name: 'slow', handle: () => after(5_000) }),
  defineTool({ name: 'hanging_guard', guards: [() => after(5_000)], handle: () => 'done' }),
];
const app = () => createApp({ name: 'shop', version: '1.0.0', definitions: tools(), timeoutMs: 300, limits: { guardTimeoutMs: 300 } });
export default worker(app, { allowedHosts: ['127.0.0.1'] });
`;

(WORKERD === undefined ? describe.skip : describe)(
  'limits on time, in workerd where that is installed',
  () => {
    let worker: RunningWorker;

    beforeAll(async () => {
      mkdirSync(join(project, 'dist'));
      symlinkSync(join(process.cwd(), 'node_modules'), join(project, 'node_modules'), 'dir');
      writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', type: 'module' }));
      writeFileSync(join(project, 'dist/main.js'), WORKER);
      const files = [join(project, 'dist/main.js'), '--out', join(project, 'dist/app.mjs')];
      expect(await sigil('build', ...files, '--target', 'worker')).toMatchObject({ code: 0 });
      worker = await startWorker(join(project, 'dist/app.mjs'));
    }, 60_000);

    afterAll(async () => {
      await worker.program.kill();
      rmSync(project, { recursive: true, force: true });
    });

    test.each(['slow', 'hanging_guard'])('hold for %s after requests that have ended', async (name) => {
      const call = (tool: string) =>
        post(`${worker.origin}/mcp`, 'tools/call', { name: tool, arguments: {} });
      expect(await call('quick')).toMatchObject({ content: [{ text: 'done' }] });
      const began = Date.now();
      const answer = await call(name).catch((error: Error) => error.message);
      expect(JSON.stringify(answer)).not.toContain('"done"');
      expect(Date.now() - began).toBeLessThan(4_000);
      // The runtime itself ends what hangs in vain, with another status and no JSON.
      expect(JSON.stringify(answer)).toMatch(/isError|"error|code/);
    });
  },
);
