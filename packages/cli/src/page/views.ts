import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isObject, type JsonObject, objectOf } from '../json.js';
import { answerRefusal, Refusal, safeHeaders } from './answers.js';
import { limitedServer, listen } from './listening.js';

/** Maximum number of stored views. Older ones are dropped. */
const MOST_VIEWS = 20;
/** Maximum length of a view's document, in characters. */
const MOST_OF_HTML = 4 * 1024 * 1024;
/** Maximum number of domains of one kind. */
const MOST_DOMAINS = 50;

/**
 * A source in a content security policy: an origin. Only its first label and its port may be `*`. Nothing
 * else is accepted, because it could begin another directive.
 */
const SOURCE = /^(?:https?|wss?):\/\/(?:\*\.)?(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::(?:\d{1,5}|\*))?\/?$/i;

/** The browser permissions that a view can have, with their names in a policy. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
};
/**
 * Features that no view gets. Only features that browsers know are listed, because they warn about others.
 */
const NEVER = ['display-capture', 'usb', 'serial', 'hid', 'midi', 'payment', 'clipboard-read'];

/**
 * A script that runs before all scripts of a view. It has only one line, so that line numbers in errors stay
 * correct.
 */
const REPORTER = `<script>{
  const tell = (text) => parent.postMessage({ jsonrpc: '2.0', method: 'sigil/view-error', params: { text } }, '*');
  addEventListener('error', ({ message, lineno }) => tell(message + ' (line ' + lineno + ')'));
  addEventListener('unhandledrejection', ({ reason }) => tell('Unhandled rejection: ' + reason));
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    tell('The policy ' + effectiveDirective + ' of the view refuses ' + blockedURI + ': see _meta.ui.csp of the resource' +
      (/^s(cript|tyle)/.test(effectiveDirective) ? ', or build the view as one file with its scripts and styles in it' : '')));
  document.currentScript.remove();
}</script>`.replaceAll('\n', ' ');

interface View {
  readonly html: string;
  readonly policy: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serves the HTML views of tools (MCP Apps) on a separate port. The content security policy of a view allows only the
 * sources that the view declares. Views have an opaque origin, so that they share no cookies or storage with programs
 * on other ports of this machine.
 */
export class Views {
  readonly #views = new Map<string, View>();
  readonly #server: Server = limitedServer((request, response) => this.#serve(request, response));
  #port = 0;

  /** @param pageOrigins a function that returns the origins of pages that are allowed to show a view in a frame. */
  constructor(private readonly pageOrigins: () => readonly string[]) {}

  /** Starts to listen. @returns the origin that views are served from. */
  async start(): Promise<string> {
    this.#port = await listen(this.#server, 0);
    return this.origin;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Adds a view. @returns the view's URL. @throws Refusal if the view is invalid. */
  add(given: unknown): string {
    const { html, csp, permissions } = objectOf(given);
    if (typeof html !== 'string' || html.length > MOST_OF_HTML)
      throw new Refusal(
        400,
        `html must be a string with the HTML of the view, of at most ${MOST_OF_HTML} characters`,
      );
    const name = randomBytes(24).toString('base64url');
    const policy = this.#policyOf(membersOf('csp', csp));
    const headers = { 'permissions-policy': permissionsPolicy(membersOf('permissions', permissions)) };
    this.#views.set(name, { html: withReports(html), policy, headers });
    const [oldest = ''] = this.#views.keys();
    if (this.#views.size > MOST_VIEWS) this.#views.delete(oldest);
    return `${this.origin}/${name}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #policyOf(csp: JsonObject): string {
    const sources = (member: string): string[] => domainsOf(csp, member);
    const [resources, connections] = [sources('resourceDomains'), sources('connectDomains')];
    const [frames, bases] = [sources('frameDomains'), sources('baseUriDomains')];
    const directives: readonly (readonly string[])[] = [
      ['default-src', "'none'"],
      ['script-src', "'unsafe-inline'", ...resources],
      ['style-src', "'unsafe-inline'", ...resources],
      ['img-src', 'data:', ...resources],
      ['font-src', 'data:', ...resources],
      ['media-src', 'data:', ...resources],
      ['connect-src', ...orNone(connections)],
      ['frame-src', ...orNone(frames)],
      ['base-uri', ...orNone(bases)],
      ['form-action', "'none'"],
      ['frame-ancestors', ...this.pageOrigins()],
      ['sandbox', 'allow-scripts', 'allow-forms'],
    ];
    return directives.map((directive) => directive.join(' ')).join('; ');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    try {
      const { method, url = '', headers } = request;
      if (headers.host !== new URL(this.origin).host)
        throw new Refusal(
          403,
          'The header Host does not name this server: open the view in the page of sigil dev',
        );
      // No window of its own: there it would look like a page of this machine.
      const use = headers['sec-fetch-dest'] ?? 'iframe';
      if (use !== 'iframe') throw new Refusal(403, 'A view can only be shown in the page of sigil dev');
      const view = this.#views.get(url.slice(1));
      if (!view) throw new Refusal(404, 'This view does not exist: show it again from the page of sigil dev');
      if (method !== 'GET') throw new Refusal(405, 'A view can only be read', {}, { allow: 'GET' });
      response.writeHead(200, { ...safeHeaders('text/html; charset=utf-8', view.policy), ...view.headers });
      response.end(view.html);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answerRefusal(response, error);
    }
  }
}

/** Adds the script that reports errors to a view's document, after the doctype. */
function withReports(html: string): string {
  const [start = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return start + REPORTER + html.slice(start.length);
}

function orNone(sources: readonly string[]): readonly string[] {
  return sources.length > 0 ? sources : ["'none'"];
}

function membersOf(name: string, value: unknown): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new Refusal(400, `${name} must be an object`);
}

/** Returns the domains in a list. @throws Refusal if an entry is not a domain. */
function domainsOf(csp: JsonObject, member: string): string[] {
  const domains: unknown = csp[member] ?? [];
  if (!Array.isArray(domains) || domains.length > MOST_DOMAINS)
    throw new Refusal(400, `csp.${member} must be a list of at most ${MOST_DOMAINS} domains`);
  return domains.map((domain: unknown) => {
    if (typeof domain === 'string' && SOURCE.test(domain)) return domain;
    throw new Refusal(
      400,
      `csp.${member} must contain only origins such as https://api.example.com, not ${JSON.stringify(domain)}`,
    );
  });
}

function permissionsPolicy(permissions: JsonObject): string {
  const asked = Object.entries(PERMISSIONS).map(
    ([member, feature]) => `${feature}=${isObject(permissions[member]) ? '*' : '()'}`,
  );
  return [...asked, ...NEVER.map((feature) => `${feature}=()`)].join(', ');
}
