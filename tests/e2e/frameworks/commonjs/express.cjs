const express = require('express');
const { expressHandler } = require('@sigil/express');
const { greetingsApp } = require('./greetings.cjs');

greetingsApp().then((app) => {
  const api = express.Router().use(expressHandler(app));
  const server = express()
    .use('/api', api)
    .listen(0, '127.0.0.1', () => {
      console.log(`http://127.0.0.1:${server.address().port}/api/mcp`);
    });
});
