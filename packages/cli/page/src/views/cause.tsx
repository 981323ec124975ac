import { usePage } from './page-context.js';

/** The JSON-RPC code for errors that the server does not explain to clients. */
const INTERNAL_ERROR = -32603;

/**
 * Links to the output of the server, which may contain the cause of an internal error. Shows nothing for
 * other codes.
 */
export function Cause({ code }: { code: unknown }) {
  const { store } = usePage();
  if (code !== INTERNAL_ERROR) return null;
  return (
    <p>
      The server may have written the cause.{' '}
      <button type="button" class="small" onClick={() => store.update({ activity: 'output' })}>
        Show the output
      </button>
    </p>
  );
}
