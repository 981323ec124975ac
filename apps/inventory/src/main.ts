import module from 'node:module';

// Node keeps the code that it compiles, so that the next start takes less time. You can take this out. Node 20 does not have it.
(module as typeof module & { enableCompileCache?(): unknown }).enableCompileCache?.();

await import('./server.js');
