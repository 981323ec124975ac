import type { Era } from './client.js';
import { overHttp } from './http.js';
import { inMemory } from './in-memory.js';
import { overStdio } from './stdio.js';
import { describeTransport } from './transport-contract.js';

const ERAS: readonly Era[] = ['legacy', 'modern'];

for (const open of [inMemory, overStdio, overHttp]) for (const era of ERAS) describeTransport(open(era));
