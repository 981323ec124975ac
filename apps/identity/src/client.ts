import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { BrowserUser } from './browser-user.js';

const HELP = `Calls one tool of an MCP server with the official client. You log in with a browser.

node apps/identity/dist/client.js [<tool> [<arguments> [<address>]]]

  <tool>        list_warehouses by default
  <arguments>   JSON; {} by default
  <address>     URL of the MCP server; http://127.0.0.1:3000/mcp by default

The environment variable CALLBACK_PORT sets the port that the browser returns to after the login; 9001 by default.`;

const CALLBACK_PORT = Number(process.env['CALLBACK_PORT'] ?? 9001);
const CALLBACK = `http://127.0.0.1:${CALLBACK_PORT}/callback`;

const [tool = 'list_warehouses', args = '{}', address = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2);
try {
  if (tool === '--help') console.log(HELP);
  else await callTool(tool, objectIn(args), new URL(address));
} catch (error) {
  // An unknown tool, a login that was cancelled, a server that is not there: the message says all there is to say.
  console.error(told(error));
  process.exitCode = 1;
}

async function callTool(name: string, given: Record<string, unknown>, url: URL): Promise<void> {
  const user = new BrowserUser(CALLBACK);
  /** Does something, and again each time that the user had to log in for it. */
  const authorized = async <T>(act: (transport: StreamableHTTPClientTransport) => Promise<T>): Promise<T> => {
    const transport = new StreamableHTTPClientTransport(url, { authProvider: user });
    try {
      return await act(transport);
    } catch (error) {
      const page = user.takePage();
      if (!(error instanceof UnauthorizedError) || !page) throw error;
      await transport.finishAuth(await comeBack(page));
      return authorized(act);
    }
  };
  const result = await authorized(async (transport) => {
    const client = new Client({ name: 'try', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(transport);
    const called = await client.callTool({ name, arguments: given });
    await client.close();
    return called;
  });
  console.log(JSON.stringify(result.content, null, 2));
}

/** Has the user open a page, and waits until the browser comes back. */
function comeBack(page: URL): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', CALLBACK);
      if (pathname !== '/callback') return void response.writeHead(404).end();
      response.setHeader('Connection', 'close').end('You can close this page.');
      server.close();
      const problem = searchParams.get('error');
      if (problem === null) return resolve(searchParams);
      const details =
        searchParams.get('error_description') ??
        'the login was cancelled, or the server does not know the requested scopes';
      reject(new Error(`The authorization server says ${problem}: ${details}`));
    });
    server.once('error', (error) => reject(new Error(`Nothing can listen on ${CALLBACK}`, { cause: error })));
    server.listen(CALLBACK_PORT, '127.0.0.1', () => {
      console.log(`\nThe server asks for the scopes: ${page.searchParams.get('scope')}`);
      console.log(`Open in a browser:\n${page.href}\n`);
      console.log(`Waiting until the browser returns to ${CALLBACK} (Ctrl-C ends this program)`);
    });
  });
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Told below, as what is JSON and no object is.
  }
  throw new Error(`The arguments of a tool must be a JSON object, such as '{"sku":"TNT-1002"}', not ${text}`);
}

/** What went wrong, with what that comes from: `fetch failed` alone says nothing. */
function told(error: unknown): string {
  const messages = new Set<string>();
  for (let at = error; at instanceof Error; at = at.cause) {
    const [first] = at instanceof AggregateError ? (at.errors as Error[]) : [];
    messages.add(at.message || String(first?.message));
  }
  return messages.size === 0 ? String(error) : [...messages].join(': ');
}
