import { expect, test } from '@jest/globals';
import { post } from '../e2e/modern-http.js';
import { describePage } from './guide-page.js';

describePage('limits', ({ serve, print }) => {
  async function call(address: URL, token: string, name: string, args: object): Promise<Response> {
    const answers: Response[] = [];
    await post(String(address), 'tools/call', { name, arguments: args }, {}, async (url, init) => {
      const response = await fetch(url, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${token}` },
      });
      answers.push(response.clone());
      return response;
    }).catch(() => undefined);
    const [answer] = answers;
    if (!answer) throw new Error('there was no answer');
    return answer;
  }

  test('shows what a client is told that searches too often', async () => {
    const address = await serve('archive.ts');
    const search = (token: string) => call(address, token, 'search', { text: 'tulips' });
    const served = [await search('token-of-ada'), await search('token-of-ada')];
    expect(served.map(({ status }) => status)).toEqual([200, 200]);
    expect(served[1]?.headers.get('ratelimit-policy')).toBe(
      '"principal";q=60;w=60, "tool search principal";q=3;w=60',
    );
    expect(served[1]?.headers.get('ratelimit')).toBe(
      '"principal";r=58;t=1, "tool search principal";r=0;t=20',
    );
    const refused = await search('token-of-ada');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '20']);
    expect(await refused.json()).toMatchObject({
      error: {
        code: 429,
        message: 'Too many requests: 3 in 60 s are allowed; try again in 20 s',
        data: { retryAfterMs: expect.any(Number), policy: 'tool search principal' },
      },
    });
    expect((await search('token-of-bob')).status).toBe(200);
  });

  test('prints one page at a time, and has who waits too long come again', async () => {
    const address = await serve('archive.ts');
    const pages = await Promise.all([1, 2].map((page) => call(address, 'token-of-ada', 'print', { page })));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 429]);
  });

  test('gives each plan a rate of its own', async () => {
    expect(await print('plans.ts')).toContain('1 tool');
  });
});
