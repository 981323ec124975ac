import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { codeBlocks, compile, textBlocks } from './code-blocks.js';
import { sigil } from '../e2e/sigil-command.js';

const PAGE = 'docs/guide/first-ten-minutes.md';

describe('the page first-ten-minutes of the guide', () => {
  test('shows a tool that a model can mend its call of', async () => {
    const dist = await compile(await codeBlocks(PAGE), 'guide-first-ten-minutes');
    const { ConvertLength } = (await import(join(dist, 'src/tools/convert-length.js'))) as {
      ConvertLength: new () => object;
    };
    await using server = await testApp({ name: 'my-server', version: '1.0.0', services: [ConvertLength] });
    const call = (unit: string) => server.client.callTool('convert_length', { length: 2, unit });
    expect(textOf(await call('km'))).toBe('2000');
    expect(await call('feet')).toMatchObject({ isError: true });
    expect(textOf(await call('feet'))).toBe('There is no unit feet; take m, km or mile');
  });

  test('uses commands that are there', async () => {
    const commands = (await textBlocks(PAGE, 'sh')).join('');
    expect(commands).toContain('npx sigil call greet name=Ada --url http://127.0.0.1:3000/mcp');
    expect((await sigil('call', '--help')).stdout).toContain('--url <url>');
  });
});
