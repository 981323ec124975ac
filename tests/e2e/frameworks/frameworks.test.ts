import { contractOf } from './contract.js';
import { inProcess } from './in-process.js';
import { NEST_MODULES } from './nest-module.js';
import { NODE_FRAMEWORKS } from './node-frameworks.js';
import { WEB_FRAMEWORKS } from './web-frameworks.js';

for (const framework of [...NODE_FRAMEWORKS, ...NEST_MODULES, ...WEB_FRAMEWORKS])
  contractOf(inProcess(framework));
