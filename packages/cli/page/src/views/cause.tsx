import { usePage } from './page-context.js';

/** The JSON-RPC code for errors that the server does not explain to clients. */
const INTERNAL_ERROR = -32603;

/**
 * Shows a link to the server's output if the error code is the code of internal errors. The output possibly contains
 * the cause.
 */
export function Cause({ code }: { code: unknown }) {
  const { store } = usePage();
  if (code !== INTERNAL_ERROR) return null;
  return (
    <p>
      The output of the server possibly contains the cause.{' '}
      <button type="button" class="small" onClick={() => store.update({ activity: 'output' })}>
        Show the output
      </button>
    </p>
  );
}
