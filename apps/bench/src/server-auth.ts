import { Arg, createApp, Service, Tool } from '@sigil/core';
import { http } from '@sigil/http';
import { jwt, oauth } from '@sigil/auth';
import { readServerOptions } from './options.js';

/** The smallest server there is, for those who have a token of `ISSUER`, if there is one. */
@Service()
class Adder {
  @Tool({ name: 'add', description: 'Add two numbers' })
  add(@Arg('a') a: number, @Arg('b') b: number): { sum: number } {
    return { sum: a + b };
  }
}

const { port } = readServerOptions();
const { ISSUER: issuer, CACHE_SECONDS: cacheSeconds = '0' } = process.env;
const authorization =
  issuer === undefined
    ? undefined
    : oauth({
        resource: `http://127.0.0.1:${port}/mcp`,
        issuers: [issuer],
        tokens: jwt({ algorithms: ['RS256'] }),
        cacheSeconds: Number(cacheSeconds),
      });

const app = await createApp({ name: 'bench', version: '1.0.0', services: [Adder] });
await app.run(http({ port, authorization }));
