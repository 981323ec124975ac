import { lambdaHandler, lambdaStreamHandler } from '@sigil/lambda';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createContractApp, isAmong, MOUNTS } from '../contract-app.js';

/** A function of Lambda: one of ours for each mount, chosen by path. */
function functionOf(make: typeof lambdaHandler | typeof lambdaStreamHandler): unknown {
  const functions = MOUNTS.map(({ path, options, documents }) => ({
    handler: make(() => createContractApp(), { path, ...options }) as (...parameters: unknown[]) => unknown,
    paths: [path, ...documents],
  }));
  const choose = ({ rawPath }: APIGatewayProxyEventV2) =>
    (functions.find(({ paths }) => isAmong(paths, rawPath)) ?? functions[0])?.handler;
  const serve = (event: APIGatewayProxyEventV2, ...rest: unknown[]): unknown =>
    choose(event)?.(event, ...rest);
  // What Lambda knows a function that streams by.
  return Object.assign(serve, functions[0]?.handler);
}

export const handler = functionOf(process.env['MODE'] === 'streamed' ? lambdaStreamHandler : lambdaHandler);
