import { useEffect, useState } from 'preact/hooks';
import { type JsonObject } from '../../../src/json.js';
import { messageOf } from '../mcp/messages.js';
import type { Run } from '../state/state.js';
import { Dialog, Text } from './parts.js';
import { usePage } from './page-context.js';

interface SavedTest {
  readonly file: string;
  readonly text: string;
  readonly note?: string;
}

/** Shows the test for a call. The developer can copy it, or write it into the project. */
export function SaveTest({ run, result, onClose }: { run: Run; result: JsonObject; onClose: () => void }) {
  const { api } = usePage();
  const [title, setTitle] = useState('');
  const [test, setTest] = useState<SavedTest>();
  const [writtenTitle, setWrittenTitle] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<string>();
  const [error, setError] = useState<string>();
  const isWritten = writtenTitle === title;
  const save = async (write: boolean): Promise<void> => {
    setBusy(true);
    const { params, answers, login, entry } = run;
    const elicited = answers.filter(({ method }) => method === 'elicitation/create');
    try {
      const saved = await api.json<SavedTest>('/api/tests', {
        tool: entry.key,
        arguments: params['arguments'],
        result,
        ...(title === '' ? {} : { title }),
        ...(elicited.length > 0 ? { answers: elicited.map((one) => one.result) } : {}),
        ...(login === undefined ? {} : { login }),
        ...(write ? { write } : {}),
      });
      setTest(saved);
      setError(undefined);
      setTold(write ? `Written to ${saved.file}` : undefined);
      if (write) setWrittenTitle(title);
    } catch (thrown) {
      setError(messageOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => void save(false), []);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(test?.text ?? '');
    setTold('Copied');
  };
  return (
    <Dialog title="Save as a test" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save(false);
        }}
      >
        <div class="field">
          <label for="test-title">Title of the test</label>
          <div class="control">
            <input
              id="test-title"
              value={title}
              placeholder="returns the saved result"
              onInput={(event) => setTitle(event.currentTarget.value)}
            />
            <button type="submit" class="small" disabled={isBusy || isWritten}>
              Show the test
            </button>
          </div>
        </div>
      </form>
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {test && (
        <>
          <p>
            <code>{test.file}</code>
          </p>
          {test.note !== undefined && <p class="muted">{test.note}</p>}
          <Text text={test.text} />
        </>
      )}
      <p role="status">{told}</p>
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={!test || isBusy || isWritten}
          onClick={() => void save(true)}
        >
          {isWritten ? 'Written' : 'Write the file'}
        </button>
        <button type="button" disabled={!test} onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
