import { useState } from 'preact/hooks';
import { messageOf } from '../mcp/messages.js';
import { usePage, useStore } from './page-context.js';

/** A button that starts a login at the server's authorization server. */
export function LogIn({ scopes, label }: { scopes: readonly string[]; label: string }) {
  const page = usePage();
  const [address, setAddress] = useState<string>();
  const [error, setError] = useState<string>();
  const begin = async (): Promise<void> => {
    setError(undefined);
    try {
      const url = await page.logIn(scopes);
      setAddress(url);
      window.open(url, '_blank', 'noopener');
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <span class="log-in">
      <button type="button" class="small" onClick={() => void begin()}>
        {label}
      </button>
      {address !== undefined && (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {`Continue at ${new URL(address).host}`}
        </a>
      )}
      {error !== undefined && (
        <span class="problem" role="alert">
          {error}
        </span>
      )}
    </span>
  );
}

/** Offers the login that a refused request needs. */
export function StepUp({ challenge }: { challenge: string }) {
  const [, scope = ''] = /scope="([^"]*)"/.exec(challenge) ?? [];
  const scopes = scope.split(' ').filter(Boolean);
  return (
    <div class="step-up">
      <p>
        <code>{challenge}</code>
      </p>
      <LogIn scopes={scopes} label={scopes.length > 0 ? `Log in with ${scopes.join(' ')}` : 'Log in'} />
    </div>
  );
}

/** All logins. The developer can select the one that requests use. */
export function Logins() {
  const page = usePage();
  const { logins, login } = useStore();
  const [scopes, setScopes] = useState('');
  return (
    <div class="panel">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <label>
          Scopes{' '}
          <input
            value={scopes}
            onInput={(event) => setScopes(event.currentTarget.value)}
            placeholder="read write"
          />
        </label>
        <LogIn scopes={scopes.split(/\s+/).filter(Boolean)} label="Log in" />
      </form>
      {logins.length === 0 && <p class="muted">Requests are sent without a login.</p>}
      <ul class="rows">
        {logins.map(({ id, status, scopes: granted, subject, expiresAt, error }) => (
          <li key={id}>
            <strong>{subject ?? 'user'}</strong> <span class={`status status-${status}`}>{status}</span>{' '}
            <code>{granted.join(' ')}</code>{' '}
            {expiresAt !== undefined && (
              <span class="muted">until {new Date(expiresAt).toLocaleTimeString('en-GB')}</span>
            )}
            {error !== undefined && <span class="problem">{error}</span>}
            {status === 'done' && (
              <button
                type="button"
                class="small"
                aria-pressed={id === login}
                onClick={() => page.useLogin(id === login ? undefined : id)}
              >
                {id === login ? 'In use' : 'Use'}
              </button>
            )}
            <button type="button" class="small" onClick={() => void page.logOut(id)}>
              Forget
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
