import { close, serve } from './mounted.js';

/** What of Deno is used here. */
declare const Deno: {
  serve(
    options: { hostname: string; port: number; onListen(address: { port: number }): void },
    handler: (request: Request) => Promise<Response>,
  ): { shutdown(): Promise<void> };
  addSignalListener(signal: 'SIGTERM', listener: () => void): void;
  exit(): never;
};

const server = Deno.serve(
  { hostname: '127.0.0.1', port: 0, onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`) },
  serve,
);
Deno.addSignalListener(
  'SIGTERM',
  () =>
    void close()
      .then(() => server.shutdown())
      .then(() => Deno.exit()),
);
