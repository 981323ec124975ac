import { StdioTransport } from '@tmcp/transport-stdio';
import { buildServer } from './server.js';

new StdioTransport(buildServer()).listen();
