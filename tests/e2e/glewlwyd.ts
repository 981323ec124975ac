import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from './processes.js';

/** What Debian installs it with. */
const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const MODULES = '/usr/lib/glewlwyd';

/** Why it cannot be started here; undefined where it can. */
export const noGlewlwyd =
  spawnSync('glewlwyd', ['-v']).error || spawnSync('sqlite3', ['-version']).error || !existsSync(TABLES)
    ? 'no glewlwyd: it is not installed'
    : undefined;

const ROBOT = { id: 'robot', secret: 'secret-of-the-robot' };
const USER = { username: 'ada', password: 'a password of ada' };

/** What is sent to it, and what it answers. */
interface Sent {
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly cookie?: string;
}

/**
 * An authorization server that others have made, in C: https://github.com/babelouest/glewlwyd. It issues tokens for some resources, to
 * a program, to the user `ada`, and to clients that register.
 */
export class Glewlwyd {
  private constructor(
    private readonly origin: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Its identifier, which has a path. */
  get issuer(): string {
    return `${this.origin}/api/oidc`;
  }

  /** The program that it knows, by HTTP Basic. */
  get client(): { readonly clientId: string; readonly clientSecret: string } {
    return { clientId: ROBOT.id, clientSecret: ROBOT.secret };
  }

  /** Starts one on a free port. @param resources on `localhost`, as it takes no other http URL. @param scopes those that it knows. */
  static async start(resources: readonly string[], scopes: readonly string[]): Promise<Glewlwyd> {
    const folder = await mkdtemp(join(tmpdir(), 'glewlwyd-'));
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const database = join(folder, 'database');
    spawnSync('sqlite3', [database, `.read ${TABLES}`]);
    const file = join(folder, 'glewlwyd.conf');
    await writeFile(file, configuration(port, origin, database));
    const child = spawn('glewlwyd', ['-c', file], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    const server = new Glewlwyd(origin, child, folder);
    try {
      await until(() => {
        if (child.exitCode !== null) throw new Error(`glewlwyd did not start:\n${said}`);
        return fetch(`${origin}/api/auth/`).then(
          () => true,
          () => false,
        );
      });
      await server.#configure(resources, scopes);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Has it issue a token to the program. @param resource whom it is for; for nobody unless given. */
  async token(scope: string, resource?: string): Promise<string> {
    const form = { grant_type: 'client_credentials', scope, ...(resource === undefined ? {} : { resource }) };
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${ROBOT.id}:${ROBOT.secret}`)}` },
      body: new URLSearchParams(form),
    });
    const { access_token: token } = (await response.json()) as { access_token?: string };
    if (token === undefined) throw new Error(`glewlwyd answered ${response.status} without a token`);
    return token;
  }

  /** Ends a token before its time. */
  async revoke(token: string): Promise<void> {
    const response = await fetch(`${this.issuer}/revoke`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${ROBOT.id}:${ROBOT.secret}`)}` },
      body: new URLSearchParams({ token }),
    });
    if (response.status !== 200) throw new Error(`glewlwyd answered ${response.status}`);
  }

  /** Does in a browser's place what the user does: logs in, and agrees. @returns where the browser is sent in the end. */
  async logIn(url: URL): Promise<URL> {
    const cookie = await this.#session(USER);
    const { searchParams } = url;
    const scope = searchParams.get('scope') ?? '';
    await this.#ask('PUT', `/auth/grant/${searchParams.get('client_id')}`, { json: { scope }, cookie });
    // As its page of logging in does once the user has agreed.
    const response = await fetch(`${url.href}&g_continue`, {
      headers: { Cookie: cookie },
      redirect: 'manual',
    });
    const location = response.headers.get('location');
    if (location === null || location.startsWith(this.origin))
      throw new Error(`glewlwyd did not go on: ${response.status} ${location}`);
    return new URL(location);
  }

  /** Ends it. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'close');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async #configure(resources: readonly string[], scopes: readonly string[]): Promise<void> {
    const cookie = await this.#session({ username: 'admin', password: 'password' });
    const add = (path: string, json: object): Promise<unknown> => this.#ask('POST', path, { json, cookie });
    for (const name of scopes)
      await add('/scope/', {
        name,
        display_name: name,
        description: name,
        password_required: true,
        password_max_age: 0,
        scheme: {},
      });
    await add('/mod/plugin/', {
      module: 'oidc',
      name: 'oidc',
      display_name: 'OpenID Connect',
      order_rank: 0,
      readonly: false,
      parameters: parameters(this.issuer, resources, scopes),
    });
    await add('/client/', {
      client_id: ROBOT.id,
      name: 'A program',
      confidential: true,
      enabled: true,
      client_secret: ROBOT.secret,
      authorization_type: ['client_credentials'],
      token_endpoint_auth_method: ['client_secret_basic'],
      redirect_uri: [],
      scope: scopes,
    });
    await add('/user/', { ...USER, name: 'Ada', enabled: true, scope: ['g_profile', 'openid', ...scopes] });
  }

  /** Logs somebody in. @returns the cookie of the session. */
  async #session(user: { readonly username: string; readonly password: string }): Promise<string> {
    const { headers } = await this.#ask('POST', '/auth/', { json: user });
    const [cookie = ''] = headers.getSetCookie();
    return cookie.split(';')[0] ?? '';
  }

  async #ask(method: string, path: string, { json, cookie = '' }: Sent): Promise<Response> {
    const response = await fetch(`${this.origin}/api${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Cookie: cookie },
      body: JSON.stringify(json),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: glewlwyd answered ${response.status} ${await response.text()}`);
    return response;
  }
}

function parameters(issuer: string, resources: readonly string[], scopes: readonly string[]): object {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    iss: issuer,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    cert: publicKey.export({ format: 'pem', type: 'spki' }),
    'access-token-duration': 300,
    'refresh-token-duration': 3600,
    'code-duration': 60,
    // Codes without the scope openid.
    'allow-non-oidc': true,
    'auth-type-code-enabled': true,
    'auth-type-client-enabled': true,
    'auth-type-refresh-enabled': true,
    'jwks-show': true,
    'subject-type': 'public',
    'pkce-allowed': true,
    'pkce-required': true,
    'oauth-as-iss-id': true,
    'oauth-dpop-allowed': true,
    'oauth-dpop-iat-duration': 60,
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
    'register-client-allowed': true,
    'register-client-auth-scope': [],
    'resource-allowed': true,
    'resource-scope': Object.fromEntries(scopes.map((scope) => [scope, resources])),
  };
}

function configuration(port: number, origin: string, database: string): string {
  return `
port=${port}
bind_address="127.0.0.1"
external_url="${origin}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="WARNING"
cookie_secure=0
session_key="session"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${MODULES}/user"
client_module_path="${MODULES}/client"
user_auth_scheme_module_path="${MODULES}/scheme"
plugin_module_path="${MODULES}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${database}"; };
`;
}
