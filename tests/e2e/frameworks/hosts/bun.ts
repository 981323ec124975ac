import { close, serve } from './mounted.js';

/** What of Bun is used here. */
declare const Bun: {
  serve(options: {
    hostname: string;
    port: number;
    idleTimeout: number;
    fetch: (request: Request) => Promise<Response>;
  }): { readonly url: URL; stop(): Promise<void> };
};

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: serve });
console.log(server.url.origin);
process.on(
  'SIGTERM',
  () =>
    void close()
      .then(() => server.stop())
      .then(() => process.exit()),
);
