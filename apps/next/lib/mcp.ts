import { jwt, oauth } from '@sigil/auth';
import { createApp } from '@sigil/core';
import { nextHandlers } from '@sigil/next';
import { Menu } from './menu';

/** Where clients reach this application, and who issues tokens for it; without an issuer every client is served. */
const { SITE = 'http://localhost:3000', ISSUER } = process.env;

/** What both routes answer with: that of the endpoint, and that of the metadata of its authorization. */
export const handlers = nextHandlers(() => createApp({ name: 'menu', version: '1.0.0', services: [Menu] }), {
  allowedHosts: [new URL(SITE).hostname],
  authorization: ISSUER
    ? oauth({
        resource: new URL('/api/mcp', SITE).href,
        issuers: [ISSUER],
        tokens: jwt({ algorithms: ['RS256'] }),
      })
    : undefined,
});
