import { expect, test } from '@jest/globals';
import { defineTool, type RequestContext } from '../../src/index.js';
import { METHODS, type Sink } from '../../src/transport/index.js';
import { appOf, openSession, recordingLogger, settled } from '../harness.js';

test.each<[string, () => void]>([
  [
    'throws',
    () => {
      throw new Error('the pipe is broken');
    },
  ],
  ['fails later', async () => Promise.reject(new Error('the pipe is broken'))],
])('a transport that %s fails neither handlers, nor clients that are told the same', async (_what, send) => {
  const logger = recordingLogger();
  const speak = defineTool({
    name: 'speak',
    handle: (_args: object, context: RequestContext) => {
      context.progress(1);
      return 'done';
    },
  });
  const app = await appOf({ definitions: [speak], logger });
  const answers: string[] = [];
  const sink: Sink = { send, end: (text) => void answers.push(text) };
  const connection = app.endpoint.connect(sink);
  const request = (id: number, method: string, params: object): void =>
    void connection.receive({ jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'broken', version: '0' };
  request(1, METHODS.initialize, { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  connection.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const other = await openSession(app);
  request(2, METHODS.callTool, { name: 'speak', _meta: { progressToken: 1 } });
  app.tools.add(defineTool({ name: 'more', handle: () => 'more' }));
  await settled();
  expect(answers[1]).toContain('"text":"done"');
  expect(other.heard('notifications/tools/list_changed')).toHaveLength(1);
  expect(logger.lines.map(({ message }) => message)).toEqual([
    'a message could not be sent',
    'a message could not be sent',
  ]);
  expect(logger.lines[0]?.details).toMatchObject({ where: "defineTool('speak')" });
});
