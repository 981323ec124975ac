import { lambdaHandler, lambdaStreamHandler } from '@sigil/lambda';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createWatchedApp, seen, SEEN_AT } from './watched-app.js';

const make = process.env['MODE'] === 'streamed' ? lambdaStreamHandler : lambdaHandler;
const watched = make(createWatchedApp, { allowedHosts: ['127.0.0.1'] }) as (
  ...parameters: unknown[]
) => unknown;

/** A stream of Lambda's answer. */
interface Stream {
  end(text: string): void;
}

async function serve(event: APIGatewayProxyEventV2, ...rest: unknown[]): Promise<unknown> {
  if (event.rawPath !== SEEN_AT) return watched(event, ...rest);
  const body = await seen.answer();
  if (process.env['MODE'] !== 'streamed') return { statusCode: 200, body };
  const [stream] = rest as [Stream];
  return stream.end(body);
}

// What Lambda knows a function that streams by.
export const handler: unknown = Object.assign(serve, watched);
