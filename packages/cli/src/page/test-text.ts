import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@sigil/core';
import { LATEST_VERSION, META, METHODS } from '@sigil/core/transport';
import { isObject, type JsonObject, objectOf, parseJson } from '../json.js';
import { Code, literalOf, textLiteral } from './literals.js';

/**
 * Maximum length of a text that a test expects literally. A longer one, such as an image, does not help a
 * reader.
 */
const MOST_OF_TEXT = 2_000;

/** The paths of the project that contains the saved test. */
export interface Project {
  readonly cwd: string;
  /** The absolute path of the compiled program. */
  readonly main: string;
}

/** A call to save as a test. */
export interface SavedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly result: JsonObject;
  /** The result of a second call with the same arguments. */
  readonly again: JsonObject | undefined;
  /** Whether the test only expects some members of the result. */
  readonly isPartial: boolean;
  readonly title: string;
  /** The user's answers to the questions of the tool. */
  readonly answers: readonly JsonObject[];
  readonly write: boolean;
}

/**
 * Returns lines of test code that check the variable `result`. `others` are further results of the same call. Values
 * that are not equal in all results are only checked for their type.
 */
export function expectations({ result, isPartial }: SavedCall, others: readonly JsonObject[]): string[] {
  const { content, structuredContent, isError } = result;
  const lines = isError === true ? ['expect(result.isError).toBe(true);'] : [];
  const matches = (subject: string, value: unknown, those: readonly unknown[]): string[] => {
    const found = { isPartial, differs: false };
    const expected = commonOf(value, those, found);
    const matcher = found.isPartial && typeof value === 'object' ? 'toMatchObject' : 'toEqual';
    return [...reason(found), `expect(${subject}).${matcher}(${literalOf(expected, 2)});`];
  };
  if (structuredContent !== undefined) {
    const those = others.map((other) => other['structuredContent']);
    lines.push(...matches('result.structuredContent', structuredContent, those));
  }
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = onlyText(blocks);
  // The structured content as JSON text, for older clients.
  if (structuredContent !== undefined && (text === undefined || isObject(parseJson(text)))) return lines;
  if (text === undefined)
    lines.push(
      ...matches(
        'result.content',
        blocks,
        others.map((other) => other['content']),
      ),
    );
  else {
    const those = others.map((other) =>
      Array.isArray(other['content']) ? onlyText(other['content']) : undefined,
    );
    const found = { isPartial, differs: false };
    const expected = commonOf(text, those, found);
    const isSame = typeof expected === 'string';
    lines.push(
      ...reason(found),
      `expect(textOf(result)).${isSame ? 'toBe' : 'toEqual'}(${literalOf(expected, 2)});`,
    );
  }
  return lines;
}

/** Returns the text of content that consists of exactly one text block; `undefined` for other content. */
export function onlyText(blocks: readonly unknown[]): string | undefined {
  const { type, text } = objectOf(blocks[0]);
  return type === 'text' && typeof text === 'string' && blocks.length === 1 ? text : undefined;
}

/** Receives what a comparison of results has found. */
interface Compared {
  /** Whether some results have members that others do not have. */
  isPartial: boolean;
  /** Whether any values differ. */
  differs: boolean;
}

function reason({ differs }: Compared): string[] {
  return differs ? ['// Values that differ from call to call are only checked for their type.'] : [];
}

/** Returns the common part of several results: the first one, with matchers where the others differ. */
function commonOf(value: unknown, others: readonly unknown[], found: Compared): unknown {
  if (others.some((other) => kindOf(other) !== kindOf(value))) {
    found.differs = true;
    return new Code('expect.anything()');
  }
  if (Array.isArray(value)) {
    const lists = others.flatMap((other): unknown[][] => (Array.isArray(other) ? [other] : []));
    if (lists.some(({ length }) => length !== value.length)) {
      found.differs = true;
      return new Code('expect.any(Array)');
    }
    // If one of several random values differs, another may agree by chance.
    if (areLikeValues([value, ...lists].flat()) && lists.some((list) => !isDeepStrictEqual(list, value))) {
      found.differs = true;
      return value.map((one) => new Code(`expect.any(${kindOf(one)})`));
    }
    return value.map((one, at) => {
      const those = lists.map((list) => list[at]);
      return commonOf(one, those, found);
    });
  }
  if (isObject(value)) {
    const objects = others.map(objectOf);
    if (objects.some((other) => Object.keys(other).some((name) => !Object.hasOwn(value, name))))
      found.isPartial = true;
    const members = Object.entries(value).flatMap(([name, one]) => {
      const those = objects.map((other) => (Object.hasOwn(other, name) ? other[name] : undefined));
      if (those.every((other) => kindOf(other) === kindOf(one)))
        return [[name, commonOf(one, those, found)] as const];
      found.isPartial = true;
      return [];
    });
    return Object.fromEntries(members);
  }
  const isLong = typeof value === 'string' && value.length > MOST_OF_TEXT;
  const differs = others.some((other) => !Object.is(other, value));
  found.differs ||= differs;
  return isLong || differs ? new Code(`expect.any(${kindOf(value)})`) : value;
}

/** Whether all values are numbers, all are strings, or all are booleans. */
function areLikeValues(values: readonly unknown[]): boolean {
  const [kind = ''] = values.map(kindOf);
  return !['Object', 'Array', 'Null'].includes(kind) && values.every((value) => kindOf(value) === kind);
}

/** Returns the name of the constructor for a JSON value. */
function kindOf(value: unknown): string {
  if (value === null) return 'Null';
  if (Array.isArray(value)) return 'Array';
  const name = typeof value;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns the text of a test in the style of the `create-mcp-app` templates. */
export function templateTest(
  { tool, arguments: args, title, answers }: SavedCall,
  expected: readonly string[],
  principal: Principal | undefined,
  app: string,
): string {
  const usesText = expected.some((line) => line.startsWith('expect(textOf('));
  const asks = answers.length > 0;
  const named = ['...options', ...(principal ? ['principal'] : []), ...(asks ? ['client'] : [])];
  const given = named.length === 1 ? 'options' : `{ ${named.join(', ')} }`;
  const params = Object.keys(args).length === 0 ? '' : `, ${literalOf(args, 2)}`;
  return [
    `import { expect, test } from '@jest/globals';`,
    ...(asks ? [`import type { ElicitResult } from '@sigil/core/protocol';`] : []),
    `import { testApp${usesText ? ', textOf' : ''} } from '@sigil/testing';`,
    `import { options } from '${app}';`,
    '',
    `test(${textLiteral(title)}, async () => {`,
    ...(principal ? [`  const principal = ${literalOf(principal, 2)};`] : []),
    ...(asks
      ? [
          `  const answers: ElicitResult[] = ${literalOf(answers, 2)};`,
          `  const client = { onElicit: (): ElicitResult => answers.shift() ?? { action: 'cancel' } };`,
        ]
      : []),
    `  await using server = await testApp(${given});`,
    '',
    `  const result = await server.client.callTool(${textLiteral(tool)}${params});`,
    '',
    ...expected.map((line) => `  ${line}`),
    '});',
    '',
  ].join('\n');
}

/** Returns the text of a test for any program that serves over standard streams. */
export function commandTest(
  { tool, arguments: args, title }: SavedCall,
  expected: readonly string[],
  { cwd, main }: Project,
): string {
  const runner = hasPackage(cwd, 'vitest') && !hasPackage(cwd, '@jest/globals') ? 'vitest' : '@jest/globals';
  const program = relative(cwd, main).split(sep).join('/');
  const usesText = expected.some((line) => line.startsWith('expect(textOf('));
  const lines = expected.map((line) =>
    line.replace(/^expect\(textOf\(result\)\)/, 'expect(result.content[0].text)'),
  );
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: METHODS.callTool,
    params: {
      name: tool,
      arguments: args,
      _meta: {
        [META.protocolVersion]: LATEST_VERSION,
        [META.clientInfo]: { name: 'test', version: '1.0.0' },
        [META.clientCapabilities]: {},
      },
    },
  };
  return [
    `import { execFileSync } from 'node:child_process';`,
    `import { expect, test } from '${runner}';`,
    '',
    `test(${textLiteral(title)}, () => {`,
    `  const request = ${literalOf(request, 2)};`,
    `  const output = execFileSync(process.execPath, [${textLiteral(program)}], {`,
    '    input: `${JSON.stringify(request)}\\n`,',
    `    env: { ...process.env, MCP_TRANSPORT: 'stdio' },`,
    `    encoding: 'utf8',`,
    '  });',
    `  const [answer = ''] = output.split('\\n');`,
    '',
    '  const { result } = JSON.parse(answer);',
    '',
    ...(usesText ? ['  expect(result.content).toHaveLength(1);'] : []),
    ...lines.map((line) => `  ${line}`),
    '});',
    '',
  ].join('\n');
}

function hasPackage(cwd: string, name: string): boolean {
  try {
    createRequire(join(cwd, 'package.json')).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
