const { lambdaHandler } = require('@sigil/lambda');
const { greetingsApp } = require('./greetings.cjs');

exports.handler = lambdaHandler(greetingsApp, { path: '/api/mcp' });
