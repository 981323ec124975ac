import { textOf } from '../mcp/messages.js';
import { MODES } from '../state/state.js';
import { Activity } from './activity.js';
import { EntryList } from './entry-list.js';
import { EntryView } from './entry-view.js';
import { counted } from './parts.js';
import { usePage, useStore } from './page-context.js';
import { Questions } from './questions.js';

/** The whole page. */
export function App() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      <Problems />
      <div class="columns">
        <EntryList />
        <EntryView />
        <Activity />
      </div>
      <Questions />
    </>
  );
}

function Header() {
  const page = usePage();
  const { server, isConnected, lost, identity, mode, logins, login } = useStore();
  const { status, url } = server.server;
  const name = textOf(identity?.serverInfo['title']) ?? textOf(identity?.serverInfo['name']) ?? 'Sigil';
  const version = textOf(identity?.serverInfo['version']);
  const done = logins.filter((one) => one.status === 'done');
  return (
    <header class="top">
      <strong class="server">{name}</strong>
      {version !== undefined && <span class="muted">{version}</span>}
      <span class={`status status-${isConnected ? status : 'failed'}`} role="status" title={url}>
        {isConnected ? (server.compiler.isCompiling ? 'compiling' : status) : (lost ?? 'connecting')}
      </span>
      <fieldset class="segments">
        <legend class="unseen">Protocol revision</legend>
        {MODES.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="mode"
              value={one}
              checked={mode === one}
              onChange={() => page.setMode(one)}
            />
            <span>{one}</span>
          </label>
        ))}
      </fieldset>
      {done.length > 0 && (
        <select
          aria-label="Login"
          value={login ?? ''}
          onChange={({ currentTarget: { value } }) => page.useLogin(value === '' ? undefined : value)}
        >
          <option value="">no login</option>
          {done.map(({ id, subject, scopes }) => (
            <option key={id} value={id}>
              {[subject ?? 'user', ...scopes].join(' ')}
            </option>
          ))}
        </select>
      )}
    </header>
  );
}

function Problems() {
  const { server, notice } = useStore();
  const { problems } = server.compiler;
  const { status, reason } = server.server;
  const isDown = status === 'failed' || (status === 'stopped' && reason !== undefined);
  return (
    <div role="alert" class="alerts">
      {notice !== undefined && <p class="notice">{notice}</p>}
      {problems.length > 0 && (
        <section aria-label="Problems of the compiler">
          <strong>{`The compiler finds ${counted(problems.length, 'problem')}`}</strong>
          <pre tabIndex={0}>{problems.join('\n')}</pre>
        </section>
      )}
      {isDown && (
        <section aria-label="The reason why the server does not run">
          <strong>{`The server has ${status}`}</strong>
          {reason !== undefined && <pre tabIndex={0}>{reason}</pre>}
        </section>
      )}
    </div>
  );
}
