import module from 'node:module';

// Caches compiled code, so that the next start is faster. Node 20 does not support this. You can remove these lines.
const cache: typeof module & { enableCompileCache?(): unknown; flushCompileCache?(): void } = module;
cache.enableCompileCache?.();

await import('./server.js');

// Writes the cache now. Otherwise, Node writes it at the end, which delays the exit of the program.
setTimeout(() => cache.flushCompileCache?.(), 1_000).unref();
