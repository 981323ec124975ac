import { expect, test } from '@jest/globals';
import { clientSettings, inspectorStart } from '../../src/dev/clients.js';

const URL_OF_SERVER = 'http://127.0.0.1:3000/mcp';

test('a server is added to clients by a name that shells and files take', () => {
  const texts = clientSettings(`my shop'; rm -rf "$HOME"`, URL_OF_SERVER).map(({ text }) => text);
  expect(texts[0]).toBe(`claude mcp add --transport http my-shop-rm--rf-HOME- ${URL_OF_SERVER}`);
  for (const text of texts) expect(text).not.toMatch(/;|\$|rm -rf/);
  expect(clientSettings('日本', URL_OF_SERVER)[3]?.text).toBe(`codex mcp add server --url ${URL_OF_SERVER}`);
});

test('the Inspector is started and opened with one token', () => {
  const { command, url } = inspectorStart(URL_OF_SERVER, 'abc');
  expect(command).toContain('MCP_INSPECTOR_API_TOKEN=abc ');
  expect(new URL(url).searchParams.get('autoConnect')).toBe('abc');
  const [one, other] = [inspectorStart(URL_OF_SERVER), inspectorStart(URL_OF_SERVER)];
  expect(one.url).not.toBe(other.url);
});

test('a terminal of 80 columns shows the command of the Inspector in lines that it does not break', () => {
  const lines = inspectorStart(URL_OF_SERVER).command.split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  // A shell takes the selected lines as one command.
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/ \\$/);
});
