import { expect, test } from '@jest/globals';
import { STATELESS_VERSION } from './clients.js';
import { describeFullClients } from './each-full-client.js';

const AGREE = { action: 'accept', content: { ok: true } } as const;
const REFUSE = { action: 'accept', content: { ok: false } } as const;

describeFullClients(['2025-06-18', '2025-11-25', STATELESS_VERSION], ({ client, version }) => {
  const isStateless = version === STATELESS_VERSION;
  /** The questions that came since a message was received: by requests, or inside results. */
  const askedSince = (count: number): (string | undefined)[] =>
    client()
      .tap.received.slice(count)
      .flatMap(({ id, method, result }) => {
        const inside = (result?.['inputRequests'] ?? {}) as Record<string, { method: string }>;
        if (isStateless) return Object.values(inside).map((question) => question.method);
        return id !== undefined && method !== undefined ? [method] : [];
      });

  test('asks user, model and client in one round, and knows each answer by its name [checklist 44]', async () => {
    const { answers, calls, tap } = client();
    answers.user({ action: 'accept', content: { name: 'Ada' } });
    answers.model = 'the Alfama';
    answers.roots = [{ uri: 'file:///work' }];
    const before = tap.received.length;
    expect(await calls.text('plan_trip', { destination: 'Lisbon' })).toBe(
      'Ada sees the Alfama and writes home from 1 directories',
    );
    expect(askedSince(before)).toEqual(['elicitation/create', 'sampling/createMessage', 'roots/list']);
    const rounds = tap.received.slice(before).filter(({ result }) => result?.['inputRequests'] !== undefined);
    expect(rounds.map(({ result }) => Object.keys(result?.['inputRequests'] as object))).toEqual(
      isStateless ? [['traveller', 'plan', 'where']] : [],
    );
  });

  test('runs a handler again with the answer it ended its run for [checklist 44]', async () => {
    const { answers, calls, tap } = client();
    answers.user(AGREE);
    const before = tap.received.length;
    expect(await calls.text('delete_record', { id: '7' })).toBe('Record 7 is deleted');
    expect(askedSince(before)).toEqual(['elicitation/create']);
  });

  test('runs it as often as it wants, and brings back what it gave to keep', async () => {
    const { answers, calls, tap } = client();
    answers.user(REFUSE, { action: 'decline' }, REFUSE);
    const before = tap.received.length;
    expect(await calls.text('delete_record', { id: '8' })).toBe('Record 8 stays');
    expect(askedSince(before)).toHaveLength(3);
  });
});
