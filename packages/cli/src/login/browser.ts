import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { UsageError } from '../failures.js';
import { type BegunLogin, beginLogin, type Login, type LoginOptions } from './login.js';

/** Options of a login in a browser. */
export interface BrowserOptions extends Omit<LoginOptions, 'redirectUri'> {
  /** The port that the browser is redirected to. @default any free port */
  readonly port?: number;
  /** Ends the login early. */
  readonly signal: AbortSignal;
  /** Opens or shows the login page, `authorizeUrl`. Called once, when this machine waits for the browser's redirect. */
  readonly open: (begun: BegunLogin) => void;
  /** Stores the login. Called before the browser shows that the login has worked. */
  readonly keep: (login: Login) => void;
}

const CALLBACK = '/callback';

/**
 * Logs in with a browser, which is redirected to a port on this machine (RFC 8252).
 *
 * @throws ServerError when the login fails.
 * @throws UsageError if the port is already in use.
 */
export async function logInByBrowser({
  port = 0,
  signal,
  open,
  keep,
  ...options
}: BrowserOptions): Promise<Login> {
  const listener = createServer();
  const listening = once(listener, 'listening');
  listener.listen(port, '127.0.0.1');
  await listening.catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `port ${port} of this machine is taken: choose another port with --callback-port (${error.code ?? ''})`,
    );
  });
  try {
    const address = listener.address();
    const bound = typeof address === 'object' && address !== null ? address.port : port;
    const begun = await beginLogin({ ...options, redirectUri: `http://127.0.0.1:${bound}${CALLBACK}` });
    signal.throwIfAborted();
    const back = new Promise<Login>((resolve) => {
      listener.on('request', ({ url = '' }, response) => {
        const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
        if (pathname !== CALLBACK) return say(response, 404, 'There is nothing here.');
        // Any page can send a browser here, so such a request does not end the pending login.
        if (searchParams.get('state') !== begun.state)
          return say(
            response,
            400,
            'sigil login is waiting for a different login: use the URL that it shows in the terminal.',
          );
        resolve(finish(begun, searchParams, response, keep));
      });
    });
    open(begun);
    return await Promise.race([back, aborted(signal)]);
  } finally {
    listener.close();
    // Browsers open connections that they do not use.
    listener.closeIdleConnections();
  }
}

/** Ends a login, and shows the result in the browser. */
async function finish(
  begun: BegunLogin,
  parameters: URLSearchParams,
  response: ServerResponse,
  keep: (login: Login) => void,
): Promise<Login> {
  try {
    const login = await begun.finish(parameters);
    keep(login);
    say(response, 200, 'You are logged in. You can close this page.');
    return login;
  } catch (error) {
    say(response, 400, 'The login has failed: see the terminal for the reason. You can close this page.');
    throw error;
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason;
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`${text}\n`);
}

/** The command that opens a page, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a page in the user's browser. If there is no browser, nothing happens. */
export function openPage(url: string): void {
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
