import { expect, test } from '@jest/globals';
import { http } from '@sigil/http';
import { testApp } from '@sigil/testing';
import { options } from '../src/app.js';
import { observe } from '../src/telemetry.js';

test('shows at /metrics what clients have asked', async () => {
  await using server = await testApp(options);
  const metrics = await observe(server.app);
  const { address = '' } = await server.app.run(http({ port: 0, metrics }));

  await server.client.listTools();
  const response = await fetch(new URL('/metrics', address));

  expect(await response.text()).toMatch(
    /^mcp_server_operation_duration_count\{mcp_method_name="tools\/list",.*\} 1$/m,
  );
});
