import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isObject, parseJson } from '../../../src/json.js';
import type { Exchange } from '../../../src/page/trace.js';
import { textOf, shown } from '../mcp/messages.js';
import { type Happening, subjectOf } from '../state/state.js';
import { Logins } from './login.js';
import { duration, Json, JsonText, Tabs, Time } from './parts.js';
import { usePage, useStore } from './page-context.js';

/** The activity panel: calls of all clients, messages, changes, logs, output, logins and findings. */
export function Activity() {
  const { store } = usePage();
  const { activity, calls, exchanges, changes, logs, logins, served } = useStore();
  return (
    <aside aria-label="Activity">
      <Tabs
        label="Activity"
        shown={activity ?? 'calls'}
        onShow={(id) => store.update({ activity: id })}
        tabs={[
          { id: 'calls', title: 'Calls', count: calls.length, content: () => <Calls calls={calls} /> },
          {
            id: 'trace',
            title: 'Trace',
            count: exchanges.length,
            content: () => <Trace exchanges={exchanges} />,
          },
          {
            id: 'changes',
            title: 'Changes',
            count: changes.length,
            content: () => <Changes />,
          },
          { id: 'logs', title: 'Logs', count: logs.length, content: () => <Logs logs={logs} /> },
          { id: 'output', title: 'Output', content: () => <Output /> },
          { id: 'logins', title: 'Login', count: logins.length, content: () => <Logins /> },
          {
            id: 'findings',
            title: 'Findings',
            count: served?.report.findings.length ?? 0,
            content: () => <Findings />,
          },
        ]}
      />
    </aside>
  );
}

function Calls({ calls }: { calls: readonly Happening[] }) {
  const { tasks } = useStore();
  if (calls.length === 0)
    return <p class="muted panel">This tab shows the calls of all clients, each after its end.</p>;
  return (
    <ul class="rows" aria-live="off">
      {[...calls].reverse().map((call) => {
        const { id, at, kind, data } = call;
        const { outcome, status, ms, client, principal, code, protocolVersion } = data;
        const isTask = kind === 'task';
        const end = shown(isTask ? status : (outcome ?? kind));
        const who = isObject(client) ? textOf(client['name']) : textOf(client);
        const about = [textOf(protocolVersion), who, textOf(principal), code];
        return (
          <li key={id}>
            <details>
              <summary>
                <Time at={at} /> <span class={`status status-${end}`}>{isTask ? `task ${end}` : end}</span>{' '}
                <strong>{subjectOf(call, tasks)}</strong>{' '}
                {typeof ms === 'number' && (
                  <span class="muted">
                    {isTask ? `after ${duration(ms)}` : `${duration(ms)} in the server`}
                  </span>
                )}{' '}
                <span class="muted">{about.filter(Boolean).join(', ')}</span>
              </summary>
              <Json value={data} />
            </details>
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the subject of an HTTP request to the server. */
function subjectOfExchange({ request }: Exchange): string {
  const message = parseJson(request.body ?? '');
  if (!isObject(message)) return request.method;
  const { method } = message;
  if (typeof method !== 'string') return 'answer to a question';
  const params = isObject(message['params']) ? message['params'] : {};
  const name = textOf(params['name']) ?? textOf(params['uri']) ?? textOf(params['taskId']);
  return name === undefined ? method : `${method} ${name}`;
}

function Trace({ exchanges }: { exchanges: readonly Exchange[] }) {
  const [filter, setFilter] = useState('');
  const shown = [...exchanges].reverse().filter((one) => subjectOfExchange(one).includes(filter));
  return (
    <>
      <input
        type="search"
        class="panel-filter"
        aria-label="Filter messages"
        placeholder="Filter messages"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <ul class="rows">
        {shown.map((exchange) => (
          <li key={exchange.id}>
            <ExchangeView exchange={exchange} />
          </li>
        ))}
      </ul>
    </>
  );
}

function ExchangeView({ exchange }: { exchange: Exchange }) {
  const [isOpen, setOpen] = useState(false);
  const { at, ms, request, response } = exchange;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Time at={new Date(at)} />{' '}
        <span class={`status ${response && response.status >= 400 ? 'status-error' : 'status-ok'}`}>
          {response ? response.status : 'open'}
        </span>{' '}
        <strong>{subjectOfExchange(exchange)}</strong> {response && <span class="muted">{duration(ms)}</span>}
      </summary>
      {isOpen && (
        <>
          <h4>Request</h4>
          <Headers headers={{ method: request.method, ...request.headers }} />
          {request.body !== undefined && <JsonText text={request.body} />}
          {response && (
            <>
              <h4>{`Response${response.isCut ? ', cut off' : ''}`}</h4>
              <Headers headers={response.headers} />
              {response.body !== undefined && <JsonText text={response.body} />}
              <ol class="events">
                {response.events?.map((event, index, all) => (
                  <li key={index}>
                    {response.leftOut !== undefined && index === all.length - 1 && (
                      <p class="muted">{`${response.leftOut} more events were not kept.`}</p>
                    )}
                    <span class="muted">{duration(event.ms)}</span> <JsonText text={event.data} />
                  </li>
                ))}
              </ol>
            </>
          )}
        </>
      )}
    </details>
  );
}

function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  return (
    <dl class="headers">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Changes() {
  const page = usePage();
  const { changes, subscriptions } = useStore();
  return (
    <>
      <ul class="rows" aria-label="Subscriptions">
        {subscriptions.map((uri) => (
          <li key={uri}>
            <code>{uri}</code>{' '}
            <button
              type="button"
              class="small"
              aria-label={`Unsubscribe from ${uri}`}
              onClick={() => void page.subscribe(uri, false)}
            >
              Unsubscribe
            </button>
          </li>
        ))}
      </ul>
      {changes.length === 0 && (
        <p class="muted panel">
          This tab shows each change of a list (for example after a restart) or of a resource that you
          subscribe to.
        </p>
      )}
      <ul class="rows" aria-live="polite" aria-label="Changes">
        {[...changes].reverse().map(({ id, at, kind, data }) => (
          <li key={id}>
            <Time at={at} /> <strong>{kind.replace('notifications/', '')}</strong>{' '}
            <code>{textOf(data['uri']) ?? textOf(data['message'])}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Logs({ logs }: { logs: readonly Happening[] }) {
  if (logs.length === 0)
    return <p class="muted panel">This tab shows the log messages that the server sends to this page.</p>;
  return (
    <ul class="rows" aria-live="polite">
      {[...logs].reverse().map(({ id, at, kind, data }) => (
        <li key={id}>
          <Time at={at} /> <span class={`level level-${kind}`}>{kind}</span>{' '}
          <code>{textOf(data['logger'])}</code> {shown(data['data'])}
        </li>
      ))}
    </ul>
  );
}

/**
 * The lines of the compiler, the server and the command. Scrolls to the last line, unless the developer has
 * scrolled up.
 */
function Output() {
  const { output } = useStore();
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }, [output]);
  if (output.length === 0)
    return <p class="muted panel">This tab shows the output of the compiler and of the server.</p>;
  return (
    <ol
      class="output"
      aria-label="Output"
      tabIndex={0}
      ref={list}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 2;
      }}
    >
      {output.map(({ source, text, isError }, index) => (
        <li key={index} class={isError ? 'output-error' : undefined}>
          <span class="muted">{source}</span> {text}
        </li>
      ))}
    </ol>
  );
}

function Findings() {
  const { served } = useStore();
  const { findings = [], totalTokens = 0 } = served?.report ?? {};
  return (
    <div class="panel">
      {totalTokens > 0 && <p>{`All tools together take ${totalTokens} tokens of a model's context.`}</p>}
      {findings.length === 0 && <p class="muted">sigil check has found no problems.</p>}
      <ul class="rows">
        {findings.map(({ where, what }, index) => (
          <li key={index}>
            <strong>{where}</strong> {what}
          </li>
        ))}
      </ul>
    </div>
  );
}
