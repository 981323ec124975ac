import { type HttpMessage, rawCallMessage } from './messages.js';

/** A request that tries to harm a server. */
export interface HostileInput {
  readonly name: string;
  readonly message: HttpMessage;
  /** Whether the request is valid. A valid request contains almost as many values as a server allows. */
  readonly isLegal?: boolean;
}

const MEGABYTE = 1024 * 1024;
const reserved = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/**
 * Returns requests to the tools of `server-hostile`. The server must answer each of them quickly: with an error, unless
 * the request is legal.
 */
export function hostileInputs(): HostileInput[] {
  const long = 'a'.repeat(200_000);
  return [
    ...reserved.map((name) => call(`argument ${name}`, 'short', `{"text":"a","${name}":{"polluted":true}}`)),
    ...reserved.map((name) => call(`tool ${name}`, name, '{}')),
    call('__proto__ at depth', 'numbers', '{"list":[{"__proto__":{"polluted":true}}]}'),
    call('constructor.prototype', 'free', '{"settings":[],"constructor":{"prototype":{"polluted":true}}}'),
    call('10 MB string', 'short', `{"text":"${'a'.repeat(10 * MEGABYTE)}"}`),
    call('10 MB of escapes', 'short', `{"text":"${'\\u0000'.repeat((10 * MEGABYTE) / 6)}"}`),
    call('arrays 10,000 deep', 'written', `{"any":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
    call('objects 10,000 deep', 'free', `{"settings":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`),
    call('never closed', 'free', `{"settings":${'['.repeat(MEGABYTE)}`),
    call('@Matches, exponential', 'matches', texts({ words: `${'a'.repeat(60)}!`, mail: 'a@b.c' })),
    call('@Matches, exponential, long', 'matches', texts({ words: `${long}!`, mail: 'a@b.c' })),
    call('@Matches, polynomial', 'matches', texts({ words: 'a', mail: `a@${'.'.repeat(200_000)}@` })),
    call('@Arg, exponential', 'arguments', texts({ exponential: `${long}!`, polynomial: 'a' })),
    call('@Arg, polynomial', 'arguments', texts({ exponential: 'a', polynomial: `${long}!` })),
    call('schema, exponential', 'written', texts({ exponential: `${long}!` })),
    call('schema, polynomial', 'written', texts({ polynomial: `${long}!` })),
    call('patternProperties', 'written', texts({ [`${'x'.repeat(60)}!`]: 'a' })),
    call(
      'patternProperties, many',
      'written',
      members(10_000, (at) => `"${'x'.repeat(40)}${at}":1`),
    ),
    call('duplicate keys', 'short', `{${'"text":"a",'.repeat(100_000)}"text":1}`),
    call('100,000 wrong items', 'numbers', `{"list":[${Array(100_000).fill('"a"').join()}]}`),
    call('100,000 empty items', 'numbers', `{"list":[${Array(100_000).fill('{}').join()}]}`),
    call('100,000 distinct items', 'distinct', `{"list":[${[...Array(100_000).keys(), 0].join()}]}`),
    call('20,000 distinct objects', 'written', `{"distinct":[${distinctObjects(20_000)},{"a":0}]}`),
    call(
      '30,000 properties',
      'short',
      members(30_000, (at) => `"p${at}":1`),
    ),
    call('name of 1 MB', 'short', `{"text":"a","${'n'.repeat(MEGABYTE)}":1}`),
    call('name of 1 MB at depth', 'numbers', `{"list":[{"${'n'.repeat(MEGABYTE)}":1}]}`),
    call(
      'half surrogates',
      'arguments',
      `{"exponential":"${'\\ud800'.repeat(1000)}","polynomial":"\\udfff"}`,
    ),
    call('half surrogate in a name', 'short', '{"text":"a","\\ud800":1}'),
    ...largest(),
    call('number beyond all', 'numbers', `{"list":[1e400,${'9'.repeat(100_000)}]}`),
  ];
}

/** Bodies of 4 MB whose members cost the most, and the most of them that are let in. */
function largest(): HostileInput[] {
  const keys = (count: number): string => `{"settings":${members(count, (at) => `"k${at}":0`)}}`;
  const items = (count: number, item: string): string =>
    `{"settings":{"a":[${Array(count).fill(item).join()}]}}`;
  const most = 19_000;
  return [
    call('1.3 million empty objects', 'free', items(1_300_000, '{}')),
    call('250,000 keys', 'free', keys(250_000)),
    legal('most keys', 'free', keys(most)),
    legal('most empty objects', 'free', items(most, '{}')),
    legal('most empty arrays', 'free', items(most, '[]')),
    legal('most strings', 'free', items(most, '"\\u0000\\u0000"')),
    legal('most numbers', 'numbers', `{"list":[${Array(most).fill('123456789').join()}]}`),
    legal('most distinct numbers', 'distinct', `{"list":[${[...Array(most).keys()].join()}]}`),
    call(
      'most unknown arguments',
      'short',
      members(most, (at) => `"p${at}":1`),
    ),
    call('most wrong items', 'numbers', `{"list":[${Array(most).fill('{}').join()}]}`),
  ];
}

/** Returns a request with a `Content-Length` above the default limit. A server with default settings must refuse it. */
export function oversizedInput(): HostileInput {
  const { headers, body } = rawCallMessage('short', `{"text":"${'a'.repeat(1000)}`);
  const announced = { ...headers, 'Content-Length': String(10 * MEGABYTE) };
  return { name: '10 MB with the default bound', message: { headers: announced, body } };
}

function call(name: string, tool: string, argumentsJson: string): HostileInput {
  return { name, message: rawCallMessage(tool, argumentsJson) };
}

function legal(name: string, tool: string, argumentsJson: string): HostileInput {
  return { ...call(name, tool, argumentsJson), isLegal: true };
}

function texts(values: Readonly<Record<string, string>>): string {
  return JSON.stringify(values);
}

function members(count: number, write: (at: number) => string): string {
  return `{${Array.from({ length: count }, (_, at) => write(at)).join()}}`;
}

function distinctObjects(count: number): string {
  return Array.from({ length: count }, (_, at) => `{"a":${at}}`).join();
}
