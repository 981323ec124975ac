import { useId, useState } from 'preact/hooks';
import { messageOf } from '../mcp/messages.js';
import { usePage } from './page-context.js';

interface Explanation {
  readonly name: string;
  readonly kind?: string;
  readonly where?: string;
  readonly nearest: readonly string[];
  readonly hiddenFromSessions: boolean;
  readonly guards: readonly string[];
  readonly refusedBy?: string;
}

/** Says why a client does or does not see something: its guards, in the order they are asked. */
export function Why({ name }: { name: string }) {
  const { api } = usePage();
  const base = useId();
  const [id, setId] = useState('');
  const [scopes, setScopes] = useState('');
  const [claims, setClaims] = useState('');
  const [explained, setExplained] = useState<Explanation>();
  const [error, setError] = useState<string>();
  const ask = async (): Promise<void> => {
    setError(undefined);
    try {
      const principal =
        id === ''
          ? null
          : {
              id,
              scopes: scopes.split(/\s+/).filter(Boolean),
              ...(claims.trim() === '' ? {} : { claims: JSON.parse(claims) as unknown }),
            };
      setExplained(await api.json<Explanation>('/api/why', { name, principal }));
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  const fields = [
    ['Principal', id, setId, 'alice; empty for a client without a login'],
    ['Scopes', scopes, setScopes, 'read write'],
    ['Claims', claims, setClaims, '{"tenant":"a"}'],
  ] as const;
  return (
    <form
      class="why"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      {fields.map(([label, value, set, placeholder]) => (
        <div class="field" key={label}>
          <label for={base + label}>{label}</label>
          <div class="control">
            <input
              id={base + label}
              value={value}
              placeholder={placeholder}
              onInput={(event) => set(event.currentTarget.value)}
            />
          </div>
        </div>
      ))}
      <div class="actions">
        <button type="submit" class="primary">
          Explain
        </button>
      </div>
      <div role="status">
        {error !== undefined && <p class="problem">{error}</p>}
        {explained && <Explained explained={explained} who={id || 'A client without a login'} />}
      </div>
    </form>
  );
}

function Explained({ explained, who }: { explained: Explanation; who: string }) {
  const { kind, where, guards, refusedBy, nearest, hiddenFromSessions, name } = explained;
  if (kind === undefined)
    return (
      <p>{`Nothing is named ${name}.${nearest.length > 0 ? ` Near it: ${nearest.join(', ')}.` : ''}`}</p>
    );
  const refused = refusedBy === undefined ? guards.length : guards.indexOf(refusedBy);
  return (
    <>
      <p>
        <strong>{refusedBy === undefined ? `${who} sees it.` : `${who} does not see it.`}</strong>{' '}
        {where !== undefined && (
          <>
            It is <code>{where}</code>.
          </>
        )}
      </p>
      {guards.length === 0 && <p>It has no guards.</p>}
      <ol>
        {guards.map((guard, index) => (
          <li key={index}>
            <code>{guard}</code>{' '}
            {index < refused ? (
              'allows'
            ) : index === refused ? (
              <strong>refuses</strong>
            ) : (
              <span class="muted">is not asked</span>
            )}
          </li>
        ))}
      </ol>
      {hiddenFromSessions && <p>Clients with sessions (up to 2025-11-25) never see it.</p>}
    </>
  );
}
