import { describe, expect, test } from '@jest/globals';
import { nameProblem } from '../../src/create/choose.js';

const taken = new Set(['jest', 'typescript']);

describe('the name of a project', () => {
  test.each(['my-server', 'a', 'server2', 'my.server', 'under_score'])('may be %s', (name) => {
    expect(nameProblem(name, taken)).toBeUndefined();
  });

  test.each([
    ['My Server!', 'my-server'],
    ['MyServer', 'myserver'],
    ['.hidden', 'hidden'],
    ['_private', 'private'],
    ['Café Crème', 'cafe-creme'],
    ['http', 'http-server'],
    ['node_modules', 'node-modules'],
    ['---!', 'my-mcp-server'],
    ['日本', 'my-mcp-server'],
    ['', 'my-mcp-server'],
    [`it's`, 'it-s'],
    ['x'.repeat(300), 'x'.repeat(100)],
  ])('is not %j: %s instead', (name, suggestion) => {
    expect(nameProblem(name, taken)).toEqual({
      why: 'is not a valid npm name',
      suggestion,
    });
    expect(nameProblem(suggestion, taken)).toBeUndefined();
  });

  test('is not that of a package it uses', () => {
    expect(nameProblem('jest', taken)).toEqual({
      why: 'is the name of a package that the project uses',
      suggestion: 'jest-server',
    });
  });
});
