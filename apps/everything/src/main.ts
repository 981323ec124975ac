import { createApp } from '@sigil/core';
import { http } from '@sigil/http';
import { skills } from '@sigil/skills';
import { AdminTools } from './access/admin-tools.js';
import { CallCounter } from './calls/call-counter.js';
import { RequestTools } from './calls/request-tools.js';
import { chooseAuthorization, scopesOfTokens } from './authorization.js';
import { chooseBackend } from './choose-backend.js';
import { ClientFeatures } from './client-features.js';
import { addClientEvents } from './client-events.js';
import { ColorTools } from './colors/color-tools.js';
import { Completions } from './completions.js';
import { ContentTools } from './content-tools.js';
import { Dialogues } from './dialogues.js';
import { addDynamicTools } from './dynamic-tools.js';
import { FailingTools } from './failing-tools.js';
import { banner, describeText, wordCount } from './functions.js';
import { Library } from './library.js';
import { OrderTools } from './orders/order-tools.js';
import { quoteOrder } from './orders/quote-order.js';
import { ProgressAndLogging } from './progress-and-logging.js';
import { addPageTools } from './page-tools.js';
import { Prompts } from './prompts.js';
import { ReconnectionTool } from './reconnection-tool.js';
import { Resources } from './resources.js';
import { Rounds } from './rounds.js';
import { HeaderTools } from './header-tools.js';
import { SchemaTools } from './schema-tools.js';
import { AskingJobs } from './tasks/asking-jobs.js';
import { JobTools } from './tasks/job-tools.js';
import { WaitingTools } from './waiting-tools.js';
import { WatchedResource } from './watched-resource.js';

const app = await createApp({
  name: 'everything',
  version: '0.1.0',
  title: 'Everything',
  description: 'Every feature on one server',
  instructions:
    'The tools, resources and prompts here show what a server can do; none of them affects other systems.',
  services: [
    ContentTools,
    ProgressAndLogging,
    FailingTools,
    ClientFeatures,
    Dialogues,
    Rounds,
    WaitingTools,
    JobTools,
    AskingJobs,
    ReconnectionTool,
    HeaderTools,
    SchemaTools,
    OrderTools,
    AdminTools,
    RequestTools,
    Resources,
    WatchedResource,
    Library,
    Prompts,
    Completions,
    ColorTools,
  ],
  definitions: [quoteOrder, wordCount, banner, describeText],
  middleware: [CallCounter, scopesOfTokens],
  cache: { methods: { 'server/discover': { ttlMs: 60_000 } } },
  extensions: [await skills(new URL('../skills/', import.meta.url))],
  ...(await chooseBackend(process.argv.slice(2), process.env)),
});
addDynamicTools(app);
addClientEvents(app);
addPageTools(app);
const authorization = chooseAuthorization(process.env);
await app.run(authorization && http({ port: Number(process.env['PORT']), authorization }));
