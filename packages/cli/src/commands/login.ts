import { EXIT_CODES, ServerError, UsageError } from '../failures.js';
import { logInByBrowser, openPage } from '../login/browser.js';
import { checkLoginsFile, forgetLogin, keepLogin } from '../login/kept-logins.js';
import type { BegunLogin, KnownClient, Login } from '../login/login.js';
import { inOneLine, show, type Terminal } from '../terminal.js';
import { type Command, readArguments, readPort, readTimeout, readUrl, SERVER_OPTIONS } from './command.js';

const OPTIONS = {
  scope: {
    type: 'string',
    value: 'scope',
    multiple: true,
    about: 'a scope to request; by default, the scopes that the server asks for',
  },
  'client-id': {
    type: 'string',
    value: 'id',
    about: 'the id of a client of the authorization server; by default, the command registers a client',
  },
  'client-secret-env': {
    type: 'string',
    value: 'name',
    about: "the environment variable with the client's secret, if the client has a secret",
  },
  'callback-port': {
    type: 'string',
    value: 'port',
    about: 'the port of this machine that the browser returns to; by default a free port',
  },
  'no-browser': { type: 'boolean', about: 'print the URL of the page, without opening a browser' },
  timeout: { ...SERVER_OPTIONS.timeout, default: '300', about: 'how long the user may take to log in' },
  json: SERVER_OPTIONS.json,
} as const;

/** `sigil login`: logs in to a server. Later commands use this login. */
export const login: Command = {
  synopsis: 'login <url> [--scope <scope>]… [--client-id <id> [--client-secret-env <name>]] [--no-browser]',
  purpose: 'log in to a server with a browser; later commands with --url use this login',
  example: 'login http://127.0.0.1:3000/mcp',
  options: OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, OPTIONS, ['<url>']);
    const server = readUrl('<url>', operands[0] ?? '');
    const client = clientOf(values['client-id'], values['client-secret-env']);
    const port = values['callback-port'];
    const done = await logIn(server, terminal, {
      timeoutMs: readTimeout(values.timeout),
      opensBrowser: values['no-browser'] !== true,
      ...(values.scope && { scopes: values.scope }),
      ...(client && { client }),
      ...(port !== undefined && { port: readPort('--callback-port', port) }),
    });
    if (done === 'interrupted') return EXIT_CODES.interrupted;
    const { scopes, subject, expiresAt } = done;
    const { issuer } = done.kept.authorizationServer;
    show(terminal, values, { server: server.href, issuer, subject, scopes, expiresAt }, () => [
      `Logged in to ${server.href}${subject === undefined ? '' : ` as ${inOneLine(subject)}`}`,
      ...(scopes.length > 0 ? [`Scopes: ${inOneLine(scopes.join(' '))}`] : []),
    ]);
    return EXIT_CODES.ok;
  },
};

const LOGOUT_OPTIONS = { json: SERVER_OPTIONS.json } as const;

/** `sigil logout`: removes the stored login to a server, and revokes its tokens. */
export const logout: Command = {
  synopsis: 'logout <url>',
  purpose: 'remove the stored login to a server, and revoke its tokens',
  example: 'logout http://127.0.0.1:3000/mcp',
  options: LOGOUT_OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, LOGOUT_OPTIONS, ['<url>']);
    const server = readUrl('<url>', operands[0] ?? '');
    const kept = forgetLogin(server);
    // The login is forgotten here even if the authorization server refuses to revoke it.
    const problem = await kept?.revoke().catch((error: unknown) => error);
    if (problem instanceof ServerError) terminal.err(`sigil: ${problem.message}`);
    show(terminal, values, { server: server.href, loggedOut: kept !== undefined }, () => [
      kept ? `Logged out of ${server.href}` : `There is no login to ${server.href}`,
    ]);
    return EXIT_CODES.ok;
  },
};

/** Options of the login. */
interface LogInOptions {
  /** How long the user may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly opensBrowser: boolean;
  readonly scopes?: readonly string[];
  readonly client?: KnownClient;
  readonly port?: number;
}

/** Logs in, and stores the login. */
async function logIn(
  server: URL,
  terminal: Terminal,
  { timeoutMs, opensBrowser, ...options }: LogInOptions,
): Promise<Login | 'interrupted'> {
  const ending = new AbortController();
  const interrupt = (): void => ending.abort('interrupted');
  process.once('SIGINT', interrupt);
  const late = setTimeout(() => {
    ending.abort(
      new ServerError(
        `no user has logged in within ${timeoutMs / 1000} s: run the command again, or use a longer --timeout`,
      ),
    );
  }, timeoutMs);
  const open = ({ authorizeUrl, scopes }: BegunLogin): void => {
    if (scopes.length > 0)
      terminal.err(`sigil: ${server.href} asks for the scopes ${inOneLine(scopes.join(' '))}`);
    terminal.err(`sigil: log in with a browser, at\n${authorizeUrl}`);
    if (opensBrowser && process.stdout.isTTY) openPage(authorizeUrl);
  };
  try {
    checkLoginsFile();
    return await logInByBrowser({ server, signal: ending.signal, open, keep: keepLogin, ...options });
  } catch (error) {
    if (error === 'interrupted') return error;
    throw error;
  } finally {
    clearTimeout(late);
    process.off('SIGINT', interrupt);
  }
}

function clientOf(id: string | undefined, secretEnv: string | undefined): KnownClient | undefined {
  if (id === undefined) {
    if (secretEnv !== undefined)
      throw new UsageError('--client-secret-env needs a client: also use --client-id <id>');
    return undefined;
  }
  if (secretEnv === undefined) return { id };
  const secret = process.env[secretEnv];
  if (!secret) throw new UsageError(`the environment variable ${secretEnv} is not set`);
  return { id, secret };
}
