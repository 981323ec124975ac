import { useState } from 'preact/hooks';
import { isForModels } from '../../../src/check/visibility.js';
import { roundingNote } from '../../../src/exact-numbers.js';
import { isObject, type JsonObject, objectOf } from '../../../src/json.js';
import { shown } from '../mcp/messages.js';
import { hasEnded, type Run, type Task } from '../state/state.js';
import { AppView, viewUriOf } from './app-view.js';
import { Cause } from './cause.js';
import { Blocks, Messages, Odd, ResourceContents, Value } from './content.js';
import { StepUp } from './login.js';
import { counted, duration, Json, size, Time } from './parts.js';
import { usePage, useStore } from './page-context.js';
import { SaveTest } from './save-test.js';

/** Shows a run and its results. @param isEarlier whether a later run is shown. If so, this run is folded. */
export function RunView({ run, isEarlier = false }: { run: Run; isEarlier?: boolean }) {
  const { answer, revision } = run;
  const { tasks } = useStore();
  const task = tasks.find(({ taskId }) => taskId === run.taskId);
  const result = resultOf(run, task);
  const isError = answer?.outcome.kind === 'result' && result?.['isError'] === true;
  return (
    <article class="run" aria-label={`${run.entry.key}, ${revision}`}>
      <header class="run-head">
        <Status run={run} isError={isError} task={task} />
        <span class="revision">{revision}</span>
        <Time at={run.at} />
        {answer && (
          <span class="muted">{`${duration(answer.ms)}, ${size(answer.bytes)}${answer.httpStatus ? `, HTTP ${answer.httpStatus}` : ''}`}</span>
        )}
        {!answer && (
          <button type="button" class="small" onClick={() => run.cancel()}>
            Cancel
          </button>
        )}
      </header>
      <ProgressBar run={run} />
      {run.logs.length > 0 && (
        <details class="logs">
          <summary>{counted(run.logs.length, 'log message')}</summary>
          <ul>
            {run.logs.map(({ level, logger, data }, index) => (
              <li key={index}>
                <span class={`level level-${level}`}>{level}</span> {logger && <code>{logger}</code>}{' '}
                {shown(data)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {task && <TaskView task={task} />}
      <OutcomeView run={run} result={result} isError={isError} isEarlier={isEarlier} />
    </article>
  );
}

/** Returns the result of a call, or of the task that it has become. */
function resultOf({ answer }: Run, task: Task | undefined): JsonObject | undefined {
  if (task) return isObject(task.state['result']) ? task.state['result'] : undefined;
  return answer?.outcome.kind === 'result' ? answer.outcome.result : undefined;
}

function Status({ run, isError, task }: { run: Run; isError: boolean; task: Task | undefined }) {
  const { answer } = run;
  const [text, kind] = !answer
    ? ['running', 'running']
    : answer.outcome.kind === 'result'
      ? task
        ? [`task ${String(task.state['status'])}`, String(task.state['status'])]
        : isError
          ? ['isError', 'error']
          : ['ok', 'ok']
      : [answer.outcome.kind, answer.outcome.kind];
  return (
    <span class={`status status-${kind}`} role="status">
      {text}
    </span>
  );
}

function ProgressBar({ run: { progress, answer } }: { run: Run }) {
  if (!progress || answer) return null;
  const { progress: done, total, message } = progress;
  return (
    <div class="progress">
      <progress aria-label="Progress" max={total ?? 1} {...(total === undefined ? {} : { value: done })} />
      <span aria-live="polite">
        {`${total === undefined ? done : `${done} of ${total}`}${message ? `: ${message}` : ''}`}
      </span>
    </div>
  );
}

function OutcomeView({
  run,
  result,
  isError,
  isEarlier,
}: {
  run: Run;
  result: JsonObject | undefined;
  isError: boolean;
  isEarlier: boolean;
}) {
  const [isRaw, setRaw] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const { answer } = run;
  if (!answer) return null;
  const { outcome, challenge } = answer;
  const stepUp = challenge === undefined ? null : <StepUp challenge={challenge} />;
  if (outcome.kind === 'cancelled' || outcome.kind === 'dropped')
    return <p class="muted">{outcome.reason ?? 'The call was cancelled.'}</p>;
  if (outcome.kind === 'failed')
    return (
      <div class="outcome outcome-failed" role="alert">
        <p>{outcome.reason}</p>
        {stepUp}
      </div>
    );
  if (outcome.kind === 'error')
    return (
      <div class="outcome outcome-error" role="alert">
        <p>
          <strong>{`JSON-RPC error ${outcome.error.code}`}</strong> {outcome.error.message}
        </p>
        {outcome.error.data !== undefined && <Json value={outcome.error.data} />}
        <Cause code={outcome.error.code} />
        {stepUp}
      </div>
    );
  if (!result) return null;
  const note = roundingNote(result);
  const canSave = run.method === 'tools/call' && run.taskId === undefined;
  return (
    <>
      <div class={`outcome ${isError ? 'outcome-isError' : ''}`}>
        {isError && <p class="error-mark">The tool has failed. The model reads this:</p>}
        {isRaw ? <Json value={result} /> : <Readable result={result} />}
        {note !== undefined && <p class="notice">{`${note} The trace shows the original text.`}</p>}
      </div>
      <View run={run} result={result} isFolded={isEarlier} />
      <div class="actions">
        <button type="button" class="quiet small" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          Message
        </button>
        {canSave && (
          <button type="button" class="quiet small" onClick={() => setSaving(true)}>
            Save as a test
          </button>
        )}
      </div>
      {isSaving && <SaveTest run={run} result={result} onClose={() => setSaving(false)} />}
    </>
  );
}

function Readable({ result }: { result: JsonObject }) {
  const { content, structuredContent, contents, messages, description } = result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  // The text that repeats structured content says nothing new.
  const repeats =
    structuredContent !== undefined &&
    blocks.length === 1 &&
    objectOf(blocks[0])['text'] === JSON.stringify(structuredContent);
  if (Array.isArray(contents))
    return (
      <>
        {contents.map((one: unknown, index) => (
          <ResourceContents key={index} contents={one} />
        ))}
      </>
    );
  if (Array.isArray(messages))
    return (
      <>
        {typeof description === 'string' && <p>{description}</p>}
        <Messages messages={messages} />
      </>
    );
  if (content === undefined && structuredContent === undefined) return <Json value={result} />;
  return (
    <>
      {structuredContent !== undefined && (
        <section aria-label="Structured content" class="structured">
          <Value value={structuredContent} />
        </section>
      )}
      {content !== undefined && !Array.isArray(content) && (
        <Odd value={content} what="The content of a result must be a list of blocks." />
      )}
      {repeats ? (
        <p class="muted">The text of the result contains the same data, as JSON.</p>
      ) : (
        <Blocks content={blocks} />
      )}
      {Array.isArray(content) && blocks.length === 0 && structuredContent === undefined && (
        <p class="muted">The result is empty.</p>
      )}
    </>
  );
}

function View({ run, result, isFolded }: { run: Run; result: JsonObject; isFolded: boolean }) {
  const { lists } = useStore();
  const [isOpen, setOpen] = useState(!isFolded);
  const tool = run.entry.kind === 'tool' && lists.tool.find(({ name }) => name === run.entry.key);
  const uri = tool ? viewUriOf(tool) : undefined;
  // A view calls such a tool itself, and shows what it returns in its own way.
  if (!tool || uri === undefined || !isForModels(tool)) return null;
  // Each view that is shown is read again after every start of the server.
  if (!isOpen)
    return (
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Show the view
      </button>
    );
  return <AppView uri={uri} tool={tool} args={run.params['arguments']} result={result} />;
}

/** Shows the state of a task, with buttons for the developer. */
export function TaskView({ task }: { task: Task }) {
  const { runs } = usePage();
  const { taskId, state } = task;
  const isOver = hasEnded(task);
  const message = shown(state['statusMessage']);
  const failure = state['error'];
  return (
    <div class="task">
      <p aria-live="polite">
        Task <code>{taskId}</code>: <strong>{shown(state['status'])}</strong>
        {message && `: ${message}`}
      </p>
      {isObject(failure) && (
        <div role="alert">
          <p class="problem">{`${shown(failure['message'])} (${shown(failure['code'])})`}</p>
          <Cause code={failure['code']} />
        </div>
      )}
      <button
        type="button"
        class="small"
        onClick={() => (isOver ? runs.removeTask(taskId) : void runs.cancelTask(taskId))}
      >
        {isOver ? 'Remove the task' : 'Cancel the task'}
      </button>
    </div>
  );
}
