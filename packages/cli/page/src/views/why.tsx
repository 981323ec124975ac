import type { Explanation } from '@sigil/core/manifest';
import { useId, useState } from 'preact/hooks';
import { isObject, parseJson } from '../../../src/json.js';
import { FOR_VIEWS } from '../../../src/check/visibility.js';
import { messageOf } from '../mcp/messages.js';
import { usePage } from './page-context.js';

/** Explains why a client does or does not see a definition. Lists the definition's guards in the order they run. */
export function Why({ name, isForModels }: { name: string; isForModels: boolean }) {
  const { api } = usePage();
  const base = useId();
  const [id, setId] = useState('');
  const [scopes, setScopes] = useState('');
  const [claims, setClaims] = useState('');
  const [explained, setExplained] = useState<Explanation>();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const given = claims.trim() === '' ? undefined : parseJson(claims);
  const isWrong = claims.trim() !== '' && !isObject(given);
  const ask = async (): Promise<void> => {
    if (isBusy || isWrong) return;
    setError(undefined);
    setExplained(undefined);
    setBusy(true);
    try {
      const principal =
        id === ''
          ? null
          : {
              id,
              scopes: scopes.split(/\s+/).filter(Boolean),
              ...(given === undefined ? {} : { claims: given }),
            };
      setExplained(await api.json<Explanation>('/api/why', { name, principal }));
    } catch (thrown) {
      setError(messageOf(thrown));
    } finally {
      setBusy(false);
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
      {!isForModels && <p class="notice">{`It is ${FOR_VIEWS}.`}</p>}
      {fields.map(([label, value, set, placeholder]) => (
        <div class="field" key={label}>
          <label for={base + label}>{label}</label>
          <div class="control">
            <input
              id={base + label}
              value={value}
              placeholder={placeholder}
              aria-invalid={label === 'Claims' && isWrong ? 'true' : undefined}
              aria-describedby={label === 'Claims' && isWrong ? `${base}wrong` : undefined}
              onInput={(event) => set(event.currentTarget.value)}
            />
          </div>
          {label === 'Claims' && isWrong && (
            <p class="problem" id={`${base}wrong`}>
              {`Claims must be a JSON object, such as ${placeholder}`}
            </p>
          )}
        </div>
      ))}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || isWrong}>
          {isBusy ? 'Asking the guards…' : 'Explain'}
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
      <p>{`No definition is named ${name}.${nearest.length > 0 ? ` Similar names: ${nearest.join(', ')}.` : ''}`}</p>
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
      {hiddenFromSessions && <p>Clients with sessions (MCP revision 2025-11-25 or older) never see it.</p>}
    </>
  );
}
