import { expect, test } from '@jest/globals';
import { inCommandsOf } from '../src/package-managers.js';

const README = [
  '```sh',
  'npm install',
  'npm run dev     # serves',
  'npm test        # runs the tests',
  '```',
  'Run `npm run type-check` or `npm start`; `npx create-mcp-app add` and npm itself stay.',
];

test.each([
  ['npm', README],
  [
    'pnpm',
    [
      '```sh',
      'pnpm install',
      'pnpm dev        # serves',
      'pnpm test       # runs the tests',
      '```',
      'Run `pnpm type-check` or `pnpm start`; `npx create-mcp-app add` and npm itself stay.',
    ],
  ],
  [
    'bun',
    [
      '```sh',
      'bun install',
      'bun run dev     # serves',
      'bun run test    # runs the tests',
      '```',
      'Run `bun run type-check` or `bun run start`; `npx create-mcp-app add` and npm itself stay.',
    ],
  ],
] as const)('a README speaks to users of %s', (name, wanted) => {
  expect(inCommandsOf(name, README.join('\n')).split('\n')).toEqual(wanted);
});
