import { describe, expect, test } from '@jest/globals';
import { DefinitionError } from '@sigil/core';
import { introspection, jwt, oauth, type OAuthOptions } from '../src/index.js';

const right: OAuthOptions = {
  resource: 'https://mcp.example.com/mcp',
  issuers: ['https://id.example.com'],
  tokens: jwt({ algorithms: ['RS256'] }),
};

/** What is said of options that are wrong. */
function refusal(options: object): string {
  try {
    oauth({ ...right, ...options });
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
  throw new Error('the options are not refused');
}

test('options that are right are taken, and no issuer is asked', () => {
  expect(oauth(right)).toBeInstanceOf(Function);
});

describe('oauth refuses to start, with place and fix, for', () => {
  test.each([
    ['a resource over http beyond this machine', { resource: 'http://mcp.example.com/mcp' }, 'resource'],
    ['a resource with a fragment', { resource: 'https://mcp.example.com/mcp#a' }, 'fragment'],
    ['a resource that is no URL', { resource: 'mcp' }, 'it must be a URL'],
    ['no resource', { resource: undefined }, 'resource'],
    ['no issuers', { issuers: [] }, 'at least one authorization server'],
    ['an issuer over http', { issuers: ['http://id.example.com'] }, 'http://id.example.com'],
    [
      'keys over http',
      { issuers: [{ issuer: 'https://id.example.com', jwksUri: 'http://id.example.com/jwks' }] },
      'jwksUri',
    ],
    [
      'an issuer with an unknown option',
      { issuers: [{ issuer: 'https://id.example.com', jwksUrl: 'x' }] },
      'jwksUri',
    ],
    ['no tokens', { tokens: undefined }, 'it must define how tokens are checked'],
    [
      'the algorithm none',
      { tokens: jwt({ algorithms: ['none'] }) },
      '"none" is not a supported asymmetric algorithm',
    ],
    [
      'an algorithm with a shared secret',
      { tokens: jwt({ algorithms: ['HS256'] }) },
      '"HS256" is not a supported asymmetric algorithm',
    ],
    ['no algorithms', { tokens: jwt({ algorithms: [] }) }, 'list of algorithms'],
    ['an empty audience', { tokens: jwt({ algorithms: ['RS256'], audience: '' }) }, 'audience'],
    [
      'introspection without credentials',
      { tokens: introspection({ clientId: 'a' }) },
      'clientSecret or privateKey',
    ],
    [
      'introspection at several issuers',
      {
        issuers: ['https://id.example.com', 'https://other.example.com'],
        tokens: introspection({ clientId: 'a', clientSecret: 'b' }),
      },
      'introspection() needs exactly one issuer, not 2',
    ],
    [
      'an empty secret',
      { tokens: introspection({ clientId: 'a', clientSecret: '' }) },
      'set the environment variable that contains the secret',
    ],
    ['scopes in one text', { scopes: { initial: ['a b'] } }, 'is not a scope'],
    ['scopes that are no list', { scopes: { initial: 'mcp' } }, 'list of scopes'],
    ['offline_access [A10]', { scopes: { initial: ['offline_access'] } }, 'offline_access'],
    ['an unknown mode', { anonymous: 'yes' }, "'refuse' or 'allow'"],
    ['an unknown mode of DPoP', { dpop: true }, "'off' or 'accept' or 'require'"],
    ['nonces without proofs', { dpopNonce: true }, 'without proofs'],
    ['a cache that is too long', { cacheSeconds: 3600 }, 'from 0 to 60'],
    ['an option that does not exist', { issuer: 'https://id.example.com' }, 'issuers'],
    ['an upstream without credentials', { upstream: { clientId: 'a' } }, 'upstream'],
  ])('%s', (_what, options, text) => {
    const message = refusal(options);
    expect(message).toContain('oauth({');
    expect(message).toContain(text);
    expect(message).toContain('Fix:');
  });
});
