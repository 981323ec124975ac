import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isObject, type JsonObject } from '../../../src/json.js';
import { isForViews } from '../../../src/check/visibility.js';
import { messageOf, objectsOf, RpcFailure, textOf } from '../mcp/messages.js';
import { AppHost, type HostRequests } from './app-host.js';
import { Cause } from './cause.js';
import { counted, Dialog, Json } from './parts.js';
import { usePage, useStore } from './page-context.js';

const MOST_HEIGHT = 2000;
/** Maximum number of errors that are shown for a view. */
const MOST_FAULTS = 10;
/** Maximum time until a view sends `ui/initialize`, in milliseconds. */
const START_MS = 5000;

/** Returns the URI of a tool's view (MCP Apps). */
export function viewUriOf(tool: JsonObject): string | undefined {
  const meta = isObject(tool['_meta']) ? tool['_meta'] : {};
  const ui = isObject(meta['ui']) ? meta['ui'] : {};
  return textOf(ui['resourceUri']) ?? textOf(meta['ui/resourceUri']);
}

interface LoadedView {
  readonly url: string;
  readonly permissions: JsonObject;
  readonly hasBorder: boolean;
}

/**
 * Shows the view of a result, in a frame that shares nothing with the page. When the server is restarted, the
 * view is loaded again.
 */
export function AppView({
  uri,
  tool,
  args,
  result,
}: {
  uri: string;
  tool: JsonObject;
  args: unknown;
  result: JsonObject;
}) {
  const page = usePage();
  const { identity } = useStore();
  const [view, setView] = useState<LoadedView>();
  const [error, setError] = useState<unknown>();
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [height, setHeight] = useState(200);
  const [said, setSaid] = useState<readonly { what: string; params: unknown }[]>([]);
  const [dropped, setDropped] = useState(0);
  const [link, setLink] = useState<{ url: string; answer: (isOpened: boolean) => void }>();
  /** Whether a question about a link is open. */
  const isAsked = useRef(false);
  /** The URL of the view that has started, and the URL of the view that did not start in time. */
  const [started, setStarted] = useState<string>();
  const [silent, setSilent] = useState<string>();
  const frame = useRef<HTMLIFrameElement>(null);

  useEffect(() => {
    let isGone = false;
    const load = async (): Promise<void> => {
      const { contents } = await page.request('resources/read', { uri });
      const [first] = objectsOf(contents);
      const meta = isObject(first?.['_meta']) ? first['_meta'] : {};
      const { csp, permissions, prefersBorder } = isObject(meta['ui']) ? meta['ui'] : {};
      const html = textOf(first?.['text']) ?? textInBase64(textOf(first?.['blob']) ?? '');
      const { url } = await page.api.json<{ url: string }>('/api/views', { html, csp, permissions });
      if (isGone) return;
      setError(undefined);
      setFaults([]);
      setView({
        url,
        permissions: isObject(permissions) ? permissions : {},
        hasBorder: prefersBorder !== false,
      });
    };
    load().catch((thrown: unknown) => {
      // A server that is not up is asked again after its start, which makes a new identity.
      const isUp = page.store.state.server.server.status === 'up';
      if (!isGone && isUp && page.store.state.identity === identity) setError(thrown);
    });
    return () => void (isGone = true);
  }, [uri, identity, page]);

  useEffect(() => {
    const timer = setTimeout(() => setSilent(view?.url), START_MS);
    return () => clearTimeout(timer);
  }, [view]);

  // Before the frame has loaded, so that its first message is heard.
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || !view) return undefined;
    const requests: HostRequests = {
      callTool: async (params) => {
        const named = page.store.state.lists.tool.find(({ name }) => name === params['name']);
        if (!named || !isForViews(named))
          throw new Error(`The view is not allowed to call ${String(params['name'])}`);
        return page.request('tools/call', params);
      },
      started: () => setStarted(view.url),
      readResource: (params) => page.request('resources/read', params),
      openLink: async (url) => {
        // The link in an open dialog must not change under the pointer.
        if (isAsked.current)
          throw new Error(
            'The developer has not yet decided whether to open the previous link: try again later',
          );
        isAsked.current = true;
        return new Promise((answer) => setLink({ url, answer }));
      },
      told: (what, params) => setSaid((before) => [...before.slice(-49), { what, params }]),
      dropped: (count) => setDropped((before) => before + count),
      failed: (text) => setFaults((before) => [...new Set([...before, text])].slice(0, MOST_FAULTS)),
      resized: (wanted) => setHeight(Math.min(Math.max(wanted, 40), MOST_HEIGHT)),
    };
    const host = new AppHost(element, { tool, args, result }, requests);
    return () => host.close();
  }, [view, tool, args, result, page]);

  const answer = (isOpened: boolean): void => {
    if (isOpened && link) window.open(link.url, '_blank', 'noopener,noreferrer');
    link?.answer(isOpened);
    isAsked.current = false;
    setLink(undefined);
  };
  return (
    <section class="app" aria-label={`View ${uri}`}>
      <h4>
        View <code>{uri}</code>
      </h4>
      {error !== undefined && (
        <div role="alert">
          <p class="problem">{messageOf(error)}</p>
          <Cause code={error instanceof RpcFailure && error.error.code} />
        </div>
      )}
      {view && silent === view.url && started !== view.url && (
        <p class="problem" role="alert">
          {`The view has not started within ${START_MS / 1000} s. See the console of the browser.`}
        </p>
      )}
      {faults.length > 0 && (
        <ul class="problem" role="alert">
          {faults.map((fault) => (
            <li key={fault}>{`The view fails: ${fault}`}</li>
          ))}
        </ul>
      )}
      {view && (
        <iframe
          key={view.url}
          ref={frame}
          class={view.hasBorder ? 'bordered' : undefined}
          title={`View ${uri}`}
          sandbox="allow-scripts allow-forms"
          allow={allowOf(view.permissions)}
          src={view.url}
          height={height}
        />
      )}
      {dropped > 0 && (
        <p class="problem">{`The view sends messages too fast: the page has ignored ${counted(dropped, 'message')}.`}</p>
      )}
      {said.length > 0 && (
        <details>
          <summary>{`The view: ${counted(said.length, 'message')}`}</summary>
          {said.map(({ what, params }, index) => (
            <Json key={index} name={what} value={params} depth={2} />
          ))}
        </details>
      )}
      {link && (
        <Dialog title="The view wants to open a link" onClose={() => answer(false)}>
          <p>
            <code>{link.url}</code>
          </p>
          <div class="actions">
            <button type="button" class="primary" onClick={() => answer(true)}>
              {`Open ${hostOf(link.url)}`}
            </button>
            <button type="button" onClick={() => answer(false)}>
              Do not open
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** Decodes UTF-8 text in base64. */
function textInBase64(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
};

function allowOf(permissions: JsonObject): string {
  return Object.keys(permissions)
    .flatMap((name) => (Object.hasOwn(PERMISSIONS, name) ? [PERMISSIONS[name]] : []))
    .join('; ');
}
