import { expect, test } from '@jest/globals';
import { callModern, json, post, textOf } from './fixtures/messages.js';
import { initialize } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';

describeBridges('content negotiation', (bench) => {
  test.each(['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', 'text/json'])(
    'a body of type %s is refused with 415 [checklist 15]',
    async (type) => {
      const response = await post(bench(), initialize(), { 'Content-Type': type });
      expect(response.status).toBe(415);
      expect(await json(response)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    },
  );

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
    'a body of type %s is read [checklist 15]',
    async (type) => {
      const response = await callModern(
        bench(),
        'echo',
        { text: 'ünïcode' },
        { headers: { 'Content-Type': type } },
      );
      expect(response.status).toBe(200);
      expect(textOf(await json(response))).toBe('ünïcode');
    },
  );

  test('the content type is looked at before the size of the body [checklist 15]', async () => {
    const body = 'x'.repeat(5 * 1024 * 1024);
    const response = await post(bench(), body, { 'Content-Type': 'text/plain' }).catch(() => undefined);
    // A client that is still sending may see its connection closed instead of the answer.
    expect([415, undefined]).toContain(response?.status);
  });

  test.each([
    'application/json',
    'text/event-stream',
    'text/html',
    'application/json, text/event-stream;q=0',
    'application/*',
  ])('Accept "%s" is refused with 406 [checklist 19]', async (accept) => {
    const response = await post(bench(), initialize(), { Accept: accept });
    expect(response.status).toBe(406);
    expect((await json(response)).error?.code).toBe(-32600);
  });

  test('a client that sends no Accept takes everything (RFC 9110 §12.5.1) [checklist 19]', async () => {
    expect((await post(bench(), initialize(), { Accept: '' })).status).toBe(200);
    expect((await callModern(bench(), 'echo', { text: 'a' }, { headers: { Accept: '' } })).status).toBe(200);
  });

  test.each([
    '*/*',
    'text/event-stream, application/json',
    'application/json;q=0.9, text/event-stream;q=0.1',
    'APPLICATION/JSON,TEXT/EVENT-STREAM',
    'application/*, text/*',
    'text/html, */*;q=0.1',
  ])('Accept "%s" allows both forms of an answer [checklist 19]', async (accept) => {
    const legacy = await post(bench(), initialize(), { Accept: accept });
    expect(legacy.status).toBe(200);
    const modern = await callModern(bench(), 'echo', { text: 'a' }, { headers: { Accept: accept } });
    expect(modern.status).toBe(200);
  });

  test('an answer in one piece is JSON with a length [checklist 21]', async () => {
    const response = await callModern(bench(), 'echo', { text: 'a' });
    expect(response.headers.get('content-type')).toBe('application/json');
    const text = await response.text();
    // The web's Response leaves its length to whoever sends it.
    const length = response.headers.get('content-length') ?? Buffer.byteLength(text);
    expect(Number(length)).toBe(Buffer.byteLength(text));
  });
});
