// Hostile messages over HTTP: wrong headers, sessions of others, dropped connections and half-sent bodies beside them.
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Expectations, faultOf, MOST_HANGS, readText } from './expectations.mjs';
import { answerTo, initializeParams, LEGACY, MODERN, NAMED_BY } from './grammar.mjs';

const WIDTH = 16;
const WARM_UP = 0.2;
const MOST_SESSIONS = 4;

/** Posts messages to a server, `WIDTH` at a time. */
export async function fuzzPosts(server, { cases, count, hangMs, atWarm }) {
  const { random, grammar } = cases;
  const expectations = new Expectations(hangMs);
  const faults = [];
  const cancelledIds = new Set();
  const agent = new Agent({ keepAlive: true, maxSockets: WIDTH * 4 });
  const url = new URL(server.address);
  const sessions = [];
  const state = { sent: 0, isPaused: false, active: 0 };

  async function openSession() {
    const text = JSON.stringify(grammar.request('initialize', initializeParams()));
    const { headers = {} } = await post({ text, headers: plainHeaders() });
    const id = headers['mcp-session-id'];
    if (!id) return;
    if (sessions.length >= MOST_SESSIONS) sessions.shift();
    sessions.push(id);
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    await post({ text: JSON.stringify(initialized), headers: sessionHeaders(id) });
  }

  /** Sends one request. @returns its status, headers and messages; `undefined` status when its connection broke. */
  function post({ text, headers, method = 'POST', dropAfterMs, half, path = url.pathname, listens = false }) {
    return new Promise((resolve) => {
      const messages = [];
      const body = Buffer.from(text ?? '');
      const request = httpRequest({
        host: url.hostname,
        port: url.port,
        path,
        method,
        agent: half ? false : agent,
        headers: { ...headers, ...(text === undefined ? {} : { 'Content-Length': body.length }) },
      });
      const done = (outcome) => {
        clearTimeout(timer);
        clearTimeout(drop);
        resolve({ messages, ...outcome });
      };
      const timer = setTimeout(
        () => {
          request.destroy();
          done({ hung: !listens });
        },
        listens ? 100 : hangMs,
      );
      const drop = dropAfterMs === undefined ? undefined : setTimeout(() => request.destroy(), dropAfterMs);
      request.on('error', (error) => done({ broke: error.code ?? error.message }));
      request.on('response', (response) => {
        const { statusCode: status, headers: received } = response;
        const isStream = received['content-type']?.startsWith('text/event-stream');
        const rest = { text: '' };
        response.setEncoding('utf8').on('data', (chunk) => {
          rest.text += chunk;
          if (isStream) rest.text = readEvents(rest.text, (message) => takeEvent(message, headers, messages));
        });
        response.on('error', () => done({ status, headers: received, broke: 'response' }));
        response.on('close', () => done({ status, headers: received, broke: 'response' }));
        response.on('end', () => {
          if (!isStream && rest.text !== '') messages.push(...[tryParse(rest.text) ?? []].flat());
          done({ status, headers: received, isStream });
        });
      });
      if (half) {
        request.write(body.subarray(0, Math.floor(body.length / 2)));
        setTimeout(() => request.destroy(), 5);
      } else request.end(text === undefined ? undefined : body);
    });
  }

  function takeEvent(message, headers, messages) {
    messages.push(message);
    if (message.method === undefined || message.id === undefined) return;
    const result = answerTo(message.method, cases.answering);
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    const session = headers['Mcp-Session-Id'];
    if (session) void post({ text, headers: sessionHeaders(session) });
  }

  function headersFor(message) {
    if (grammar.era === 'legacy') {
      const id = random.pick(sessions);
      return message?.method === 'initialize' || !id ? plainHeaders() : sessionHeaders(id);
    }
    const one = Array.isArray(message) ? message[0] : message;
    const name = typeof one?.method === 'string' ? one.params?.[NAMED_BY[one.method]] : undefined;
    return {
      ...plainHeaders(),
      'MCP-Protocol-Version': MODERN,
      ...(isPrintable(one?.method) ? { 'Mcp-Method': one.method } : {}),
      ...(isPrintable(name) ? { 'Mcp-Name': name } : {}),
    };
  }

  /** @returns whether the message has still to be answered as itself. */
  async function one() {
    const { text, message: before } = cases.next();
    const { message, id, cancelled } = readText(text, cases.isOwn);
    for (const gone of cancelled) cancelledIds.add(gone);
    const headers = headersFor(message ?? before);
    const listens = text.includes('subscriptions/listen');
    const kind = random.weighted([
      [80, 'whole'],
      [8, 'odd headers'],
      [3, 'dropped'],
      [1.5, 'half'],
      [1.5, 'stream'],
      [0.5, 'delete'],
    ]);
    if (kind === 'stream') return post({ method: 'GET', headers: headersFor(undefined), listens: true });
    if (kind === 'delete') return post({ method: 'DELETE', headers: headersFor(undefined) });
    if (kind === 'dropped') return post({ text, headers, dropAfterMs: random.whole(0, 20) });
    if (kind === 'half') return post({ text, headers, half: true });
    const isOdd = kind === 'odd headers';
    const outcome = await post({ text, headers: isOdd ? oddHeaders(headers, random) : headers, listens });
    judge(outcome, { text, id: isOdd || listens ? undefined : id, request: message, listens });
    if (outcome.status === 404 && grammar.era === 'legacy') sessions.length = 0;
  }

  function judge({ hung, status, messages }, { text, id, request, listens }) {
    if (server.exit) return;
    if (hung) return expectations.fail('no answer', text);
    for (const message of messages) {
      const fault = faultOf(message);
      if (fault) faults.push(`${fault}: ${JSON.stringify(message).slice(0, 300)}`);
    }
    if (status >= 500 && status !== 503) faults.push(`status ${status} to ${text.slice(0, 300)}`);
    if (listens || id === undefined) return;
    const response = messages.find((message) => message.method === undefined);
    if (response) {
      expectations.answered += 1;
      grammar.learn(response.result, request);
    } else if (!cancelledIds.has(id) && status !== undefined && status < 400)
      expectations.fail(`status ${status} without a response`, text);
  }

  async function worker() {
    while (state.sent < count && !server.exit && expectations.unanswered.length < MOST_HANGS) {
      if (state.isPaused) {
        await sleep(2);
        continue;
      }
      state.sent += 1;
      state.active += 1;
      const warm = state.sent === Math.floor(count * WARM_UP);
      if (grammar.era === 'legacy' && (sessions.length === 0 || random.chance(0.002))) await openSession();
      await one();
      state.active -= 1;
      if (!warm) continue;
      state.isPaused = true;
      while (state.active > 0) await sleep(5);
      await atWarm();
      state.isPaused = false;
    }
  }

  await Promise.all(Array.from({ length: WIDTH }, worker));
  if (!server.exit) {
    const last = { text: '{}', headers: { ...plainHeaders() } };
    if ((await post(last)).status === undefined) expectations.fail('no answer', 'the last request');
  }
  agent.destroy();
  return { answered: expectations.answered, hangs: expectations.unanswered, faults };
}

const plainHeaders = () => ({
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
});

const sessionHeaders = (id) => ({ ...plainHeaders(), 'Mcp-Session-Id': id, 'MCP-Protocol-Version': LEGACY });

/** Headers that do not fit the message, or nothing at all. */
function oddHeaders(headers, random) {
  const odd = { ...headers };
  const [name, value] = random.pick([
    ['Content-Type', 'text/plain'],
    ['Content-Type', 'application/json; charset=utf-16'],
    ['Accept', 'text/html'],
    ['Accept', ''],
    ['MCP-Protocol-Version', '1999-01-01'],
    ['MCP-Protocol-Version', random.pick([LEGACY, MODERN, '2024-11-05'])],
    ['Mcp-Session-Id', 'unknown'],
    ['Mcp-Session-Id', 'x'.repeat(8_000)],
    ['Mcp-Method', 'tools/list'],
    ['Mcp-Name', random.pick(['other', '=?base64?!!!?=', 'x'.repeat(4_000)])],
    ['Mcp-Param-Text', 'odd'],
    ['Last-Event-ID', 'x'.repeat(1_000)],
    ['Origin', 'https://evil.example'],
    ['Host', 'evil.example'],
    ['Authorization', `Bearer ${'x'.repeat(4_000)}`],
    ['Expect', '100-continue'],
  ]);
  for (const key of Object.keys(odd)) if (key.toLowerCase() === name.toLowerCase()) delete odd[key];
  return random.chance(0.2) ? odd : { ...odd, [name]: value };
}

const isPrintable = (value) => typeof value === 'string' && /^[\x21-\x7e]{1,2000}$/.test(value);

/** Reads whole events. @returns what is left. */
function readEvents(text, take) {
  const blocks = text.split('\n\n');
  const rest = blocks.pop();
  for (const block of blocks) {
    const data = block.split('\n').filter((line) => line.startsWith('data: '));
    const message = data.length > 0 ? tryParse(data.map((line) => line.slice(6)).join('\n')) : undefined;
    if (message) take(message);
  }
  return rest;
}

function tryParse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
