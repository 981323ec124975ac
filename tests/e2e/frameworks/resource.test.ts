import { expect, test } from '@jest/globals';
import { ExpressAdapter } from '@nestjs/platform-express';
import { introspection, oauth } from '@sigil/auth';
import { createApp, type Logger } from '@sigil/core';
import { expressHandler } from '@sigil/express';
import { fastifyPlugin } from '@sigil/fastify';
import { honoHandler } from '@sigil/hono';
import { lambdaHandler } from '@sigil/lambda';
import { worker } from '@sigil/workers';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import Fastify from 'fastify';
import { make } from './nest-application.js';

const RESOURCE = 'https://mcp.example.com/mcp';
const options = {
  authorization: oauth({
    resource: RESOURCE,
    issuers: ['https://login.example.com'],
    tokens: introspection({ clientId: 'x', clientSecret: 'y' }),
  }),
};
const path = '/rpc';
const name = 'shop';
const version = '1.0.0';
const appWith = (logger: Logger) => createApp({ name, version, logger });
const context = { waitUntil: () => undefined };
const event = {
  rawPath: '/',
  rawQueryString: '',
  headers: {},
  requestContext: { http: { method: 'PUT' } },
  isBase64Encoded: false,
} as APIGatewayProxyEventV2;

const MOUNTS: Readonly<Record<string, (logger: Logger) => Promise<unknown>>> = {
  '@sigil/express': async (logger) => expressHandler(await appWith(logger), { path, ...options }),
  '@sigil/fastify': async (logger) => {
    const fastify = Fastify();
    await fastify.register(fastifyPlugin, { app: await appWith(logger), prefix: '/api', path, ...options });
    await fastify.close();
  },
  '@sigil/hono': async (logger) => honoHandler(await appWith(logger), { path, ...options }),
  '@sigil/nest': (logger) => make(new ExpressAdapter(), { options: { logger, path: 'rpc', http: options } }),
  // Such an app is made by the first request.
  '@sigil/workers': (logger) =>
    worker(() => appWith(logger), { path, ...options }).fetch(new Request('http://localhost'), {}, context),
  '@sigil/lambda': (logger) =>
    lambdaHandler(() => appWith(logger), { path, ...options })(event, {
      getRemainingTimeInMillis: () => 5_000,
    } as Context),
};

test.each(Object.keys(MOUNTS))(
  '%s warns of a resource that is another place than its endpoint',
  async (of) => {
    const warned: string[] = [];
    const quiet = (): void => undefined;
    const warn = (_details: unknown, message = ''): void => void warned.push(message);
    await MOUNTS[of]?.({ debug: quiet, info: quiet, warn, error: quiet });
    const at = of === '@sigil/fastify' ? '/api/rpc' : path;
    expect(warned.filter((message) => message.startsWith('the resource'))).toEqual([
      `the resource of the authorization is ${RESOURCE}, and the endpoint is at ${at}: clients refuse a resource that differs from ` +
        `the URL that they call; write resource: 'https://mcp.example.com${at}', or move the endpoint to /mcp`,
    ]);
  },
);
