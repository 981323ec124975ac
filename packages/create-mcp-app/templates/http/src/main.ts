import module from 'node:module';

// Node keeps the code that it compiles, so that the next start takes less time. You can take this out. Node 20 does not have it.
const cache: typeof module & { enableCompileCache?(): unknown; flushCompileCache?(): void } = module;
cache.enableCompileCache?.();

await import('./server.js');

// By itself, Node writes that code when the program is asked to end, which then takes as long as this.
setTimeout(() => cache.flushCompileCache?.(), 1_000).unref();
