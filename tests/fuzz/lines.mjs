// Hostile messages over one connection: stdio, or the endpoint in the memory of the server.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Expectations, faultOf, MOST_HANGS, readText } from './expectations.mjs';
import { answerTo, initializeParams } from './grammar.mjs';

const MOST_OPEN = 100;
/** The part of the messages after which a heap is measured that the one at the end is held against. */
const WARM_UP = 0.2;

/**
 * Sends messages over the connection of a server.
 *
 * @param hangMs how long an answer may take.
 * @param atWarm called once, when a part of the messages is answered.
 */
export async function fuzzLines(server, { cases, count, hangMs, isMemory, atWarm }) {
  const expectations = new Expectations(hangMs);
  const faults = [];
  const listening = [];
  const line = isMemory ? memoryLine(server) : stdioLine(server);
  line.onText((text) => {
    const message = isJson(text) ? JSON.parse(text) : undefined;
    if (message === undefined) return void faults.push(`output that is no JSON: ${text.slice(0, 300)}`);
    for (const one of Array.isArray(message) ? message : [message]) receive(one);
  });

  function receive(message) {
    const fault = faultOf(message);
    if (fault) faults.push(`${fault}: ${JSON.stringify(message).slice(0, 300)}`);
    if (message.method !== undefined) {
      if (message.id !== undefined) answer(message);
      return;
    }
    if (message.error && (message.id ?? null) === null) return void expectations.settleUnread();
    cases.grammar.learn(message.result, expectations.settle(message.id));
  }

  /** Answers twice: wrongly at times, and as the client should. */
  function answer({ id, method }) {
    if (cases.answering.chance(0.2)) line.send(JSON.stringify({ jsonrpc: '2.0', id: `${id}x`, result: 7 }));
    line.send(JSON.stringify({ jsonrpc: '2.0', id, result: answerTo(method, cases.answering) }));
  }

  async function send(text) {
    const { message, cancelled, id } = readText(text, cases.isOwn);
    for (const one of cancelled) expectations.forget(one);
    if (message?.method === 'subscriptions/listen' && cases.isOwn(message.id)) listening.push(message.id);
    if (id !== undefined) expectations.expect(id, text, message);
    await line.send(text);
  }

  /** Streams of changes stay open until they are cancelled: they would be counted as heap that is kept. */
  async function stopListening() {
    const method = 'notifications/cancelled';
    for (const requestId of listening.splice(0))
      await line.send(JSON.stringify({ jsonrpc: '2.0', method, params: { requestId } }));
  }

  async function settle(most) {
    while (expectations.size > most && !server.exit) {
      expectations.sweep();
      await sleep(most === 0 ? 5 : 1);
    }
  }

  async function greet() {
    if (cases.grammar.era === 'modern') return;
    await send(JSON.stringify(cases.grammar.request('initialize', initializeParams())));
    await settle(0);
    await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  }

  /** A server that answers nothing is not waited for again and again. */
  const isOver = () => server.exit !== undefined || expectations.unanswered.length >= MOST_HANGS;

  await greet();
  const warmAt = Math.floor(count * WARM_UP);
  for (let sent = 0; sent < count && !isOver(); sent += 1) {
    if (sent === warmAt) {
      await settle(0);
      await stopListening();
      await atWarm();
    }
    const { text } = cases.next();
    if (isMemory && !isJson(text)) continue;
    await send(text.replaceAll('\n', ' '));
    if (expectations.size >= MOST_OPEN) await settle(MOST_OPEN / 2);
    if (sent % 500 === 499) {
      await settle(0);
      await stopListening();
    }
    if (isMemory && sent % 5_000 === 4_999) {
      line.reconnect();
      await greet();
    }
  }
  await settle(0);
  // Whatever came before, the next client is served.
  if (!isOver()) await send(JSON.stringify(cases.grammar.request('tools/list', {})));
  await settle(0);
  if (!server.exit) await stopListening();
  return { answered: expectations.answered, hangs: expectations.unanswered, faults };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function stdioLine({ child }) {
  const write = (text) => {
    if (child.stdin.write(`${text}\n`)) return undefined;
    return new Promise((resolve) => {
      const go = () => {
        child.stdin.off('drain', go).off('close', go);
        resolve();
      };
      child.stdin.on('drain', go).on('close', go);
    });
  };
  return {
    send: write,
    onText: (take) => createInterface({ input: child.stdout, crlfDelay: Infinity }).on('line', take),
  };
}

function memoryLine({ child }) {
  const send = (line) => new Promise((resolve) => child.send({ line }, () => resolve()));
  return {
    send,
    reconnect: () => void send(null),
    onText: (take) => child.on('message', ({ line }) => line !== undefined && take(line)),
  };
}
