// Next compiles routes by itself: here a server of Node calls the handlers that a route exports.
const { createAdaptorServer } = require('@hono/node-server');
const { nextHandlers } = require('@sigil/next');
const { greetingsApp } = require('./greetings.cjs');

const route = nextHandlers(greetingsApp);
const server = createAdaptorServer({ fetch: (request) => route[request.method](request) });
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/api/mcp`));
