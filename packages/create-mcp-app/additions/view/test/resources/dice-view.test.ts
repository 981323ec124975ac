import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('the view is one file, which loads nothing', async () => {
  await using server = await testApp(options);

  const result = await server.client.readResource('ui://dice/view.html');

  expect(result.contents[0]?.mimeType).toBe('text/html;profile=mcp-app');
  expect(textOf(result)).toContain('<script');
  // Vite writes each tag at the start of a line. Text within the script can look like a tag.
  expect(textOf(result)).not.toMatch(/^\s*<(script|link)[^>]* (src|href)=/m);
});
