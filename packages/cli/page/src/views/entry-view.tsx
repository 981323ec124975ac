import { useState } from 'preact/hooks';
import { isObject, type JsonObject, objectOf } from '../../../src/json.js';
import { objectsOf, textOf, shown } from '../mcp/messages.js';
import { type Suggest, SchemaForm } from '../form/schema-form.js';
import { expand, variablesOf } from '../mcp/uri-template.js';
import { entriesOf, type Entry, type Gone, type Run, type TypedArguments } from '../state/state.js';
import { FOR_VIEWS, isForModels } from '../../../src/check/visibility.js';
import { counted, Json, Tabs } from './parts.js';
import { usePage, useStore } from './page-context.js';
import { RunView, TaskView } from './run-view.js';
import { Why } from './why.js';

/** The selected definition: description, form and results. */
export function EntryView() {
  const state = useStore();
  const { selected, tasks, runs } = state;
  if (!selected) return <Welcome />;
  const { kind, key } = selected;
  if (kind === 'task') {
    const task = tasks.find(({ taskId }) => taskId === key);
    const run = runs.find(({ taskId }) => taskId === key);
    return (
      <main id="main">
        <h1>{task?.title}</h1>
        {run ? <RunView run={run} /> : task && <TaskView task={task} />}
      </main>
    );
  }
  const found = entriesOf(state, kind).find((one) => one.key === key);
  if (!found && !state.hasLists)
    return (
      <main id="main">
        <h1>{key}</h1>
        <Waiting />
      </main>
    );
  const gone = state.gone?.kind === kind && state.gone.key === key ? state.gone : undefined;
  // A link may lead to a resource that no list has.
  const isGone = !found && (gone !== undefined || kind !== 'resource');
  const entry = found ?? { kind, key, descriptor: gone?.descriptor ?? {}, isVisible: true };
  const own = runs.filter((run) => run.entry.kind === kind && run.entry.key === key);
  return (
    <main id="main" key={`${kind} ${key}`}>
      <About entry={entry} />
      {isGone && <NotServed entry={entry} gone={gone} />}
      <Tabs
        label="Actions"
        tabs={[
          {
            id: 'call',
            title: kind === 'tool' ? 'Call' : kind === 'prompt' ? 'Get' : 'Read',
            content: () => (isGone && !gone ? null : <Sending entry={entry} isGone={isGone} />),
          },
          { id: 'schema', title: 'Description', content: () => <Json value={entry.descriptor} /> },
          {
            id: 'why',
            title: 'Visibility',
            content: () => <Why name={key} isForModels={isForModels(entry.descriptor)} />,
          },
        ]}
      />
      <Results runs={own} />
    </main>
  );
}

/** Shows that a definition is no longer served, with a link to the definition that may have replaced it. */
function NotServed({ entry: { kind, key }, gone }: { entry: Entry; gone: Gone | undefined }) {
  const page = usePage();
  const { successor } = gone ?? {};
  const go = (to: string): void => {
    const typed = page.argumentsOf({ kind, key });
    if (typed) page.keepArguments({ kind, key: to }, typed);
    page.select({ kind, key: to });
  };
  return (
    <p class="notice" role="alert">
      The server no longer serves it.{' '}
      {successor !== undefined && (
        <button type="button" class="link" onClick={() => go(successor)}>
          {`Go to ${successor}${kind === 'resource' ? '' : ' with these arguments'}`}
        </button>
      )}
    </p>
  );
}

function Waiting() {
  return <p class="muted">The page waits for the server.</p>;
}

function Welcome() {
  const { identity, listError } = useStore();
  return (
    <main id="main">
      <h1>{textOf(identity?.serverInfo['title']) ?? textOf(identity?.serverInfo['name']) ?? 'The server'}</h1>
      {listError !== undefined && (
        <p class="problem" role="alert">
          {listError}
        </p>
      )}
      {identity ? (
        <>
          <Paragraph text={textOf(identity.serverInfo['description'])} />
          <Paragraph text={identity.instructions} />
          <p class="muted">Choose a tool, a resource or a prompt from the list.</p>
          <h2>Capabilities</h2>
          <Json value={identity.capabilities} />
        </>
      ) : (
        <Waiting />
      )}
    </main>
  );
}

/** A text with its line breaks. Shows nothing for an empty text, which would leave a gap. */
function Paragraph({ text }: { text: string | undefined }) {
  return text ? <p class="instructions">{text}</p> : null;
}

function About({ entry: { kind, key, descriptor, manifest, isVisible } }: { entry: Entry }) {
  const { served } = useStore();
  const tokens = kind === 'tool' ? served?.report.tokens[key] : undefined;
  const annotations = isObject(descriptor['annotations']) ? descriptor['annotations'] : {};
  const findings =
    served?.report.findings.filter(({ where }) => where === key || where.endsWith(` ${key}`)) ?? [];
  const hints = Object.entries(annotations).filter(([name]) => name !== 'title');
  const title = textOf(descriptor['title']) ?? textOf(annotations['title']);
  const marks = [
    manifest?.['task'] && `task: ${shown(manifest['task'])}`,
    manifest?.['guarded'] && 'guarded',
    manifest?.['hiddenFromSessions'] && 'not in revision 2025-11-25',
    textOf(descriptor['mimeType']),
    isForModels(descriptor) ? tokens !== undefined && `${tokens} tokens` : FOR_VIEWS,
  ].filter((mark): mark is string => typeof mark === 'string');
  return (
    <header class="about">
      <h1>{key}</h1>
      {title !== undefined && title !== key && <p class="title">{title}</p>}
      <Paragraph text={textOf(descriptor['description'])} />
      {!isVisible && <p class="notice">This client does not see it. The tab Visibility says why.</p>}
      {(hints.length > 0 || marks.length > 0) && (
        <ul class="marks" aria-label="Properties">
          {hints.map(([name, value]) => (
            <li key={name}>{`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`}</li>
          ))}
          {marks.map((mark) => (
            <li key={mark}>{mark}</li>
          ))}
        </ul>
      )}
      {findings.length > 0 && (
        <details class="findings">
          <summary>{`sigil check: ${counted(findings.length, 'finding')}`}</summary>
          <ul>
            {findings.map(({ what }, index) => (
              <li key={index}>{what}</li>
            ))}
          </ul>
        </details>
      )}
    </header>
  );
}

/** The form of a definition. @param isGone whether the definition is no longer served. */
function Sending({ entry, isGone }: { entry: Entry; isGone: boolean }) {
  const page = usePage();
  const { mode, subscriptions, identity } = useStore();
  const { kind, key, descriptor } = entry;
  const { capabilities = {} } = identity ?? {};
  const where = mode === 'both' ? ' in both' : '';
  const form = {
    label: `Arguments of ${key}`,
    initial: page.argumentsOf(entry),
    isDisabled: isGone,
    onTyped: (typed: TypedArguments) => page.keepArguments(entry, typed),
  };
  if (kind === 'tool')
    return (
      <SchemaForm
        {...form}
        schema={descriptor['inputSchema'] ?? { type: 'object' }}
        submit={`Call${where}`}
        onSubmit={(args) => page.send(entry, 'tools/call', { name: key, arguments: args })}
      />
    );
  /** Requests suggestions for an argument from the server, if the server has completions for it. */
  const suggestFor = (ref: JsonObject): Suggest | undefined =>
    'completions' in capabilities
      ? async (name, args) => {
          const { [name]: own, ...others } = objectOf(args);
          const params = { ref, argument: { name, value: shown(own) }, context: { arguments: others } };
          const { values } = objectOf((await page.request('completion/complete', params))['completion']);
          return Array.isArray(values) ? values.map(String) : [];
        }
      : undefined;
  if (kind === 'prompt')
    return (
      <SchemaForm
        {...form}
        schema={schemaOfTexts(objectsOf(descriptor['arguments']))}
        submit={`Get${where}`}
        suggest={suggestFor({ type: 'ref/prompt', name: key })}
        onSubmit={(args) => page.send(entry, 'prompts/get', { name: key, arguments: args })}
      />
    );
  if (kind === 'template')
    return (
      <SchemaForm
        {...form}
        schema={schemaOfTexts(variablesOf(key).map((name) => ({ name })))}
        submit={`Read${where}`}
        suggest={suggestFor({ type: 'ref/resource', uri: key })}
        note={(values) => expand(key, values)}
        onSubmit={(values) => page.send(entry, 'resources/read', { uri: expand(key, values) })}
      />
    );
  const isHeard = subscriptions.includes(key);
  return (
    <div class="actions">
      <button
        type="button"
        class="primary"
        disabled={isGone}
        onClick={() => page.send(entry, 'resources/read', { uri: key })}
      >
        {`Read${where}`}
      </button>
      {objectOf(capabilities['resources'])['subscribe'] === true && (
        <button type="button" aria-pressed={isHeard} onClick={() => void page.subscribe(key, !isHeard)}>
          {isHeard ? 'Unsubscribe' : 'Subscribe'}
        </button>
      )}
    </div>
  );
}

/** Returns the schema of string arguments: those of a prompt, or the variables of a template. */
function schemaOfTexts(args: readonly JsonObject[]): JsonObject {
  const properties = args.map(
    ({ name, description }) => [shown(name), { type: 'string', description }] as const,
  );
  const required = args.filter((one) => one['required'] === true).map(({ name }) => shown(name));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

const MOST_SHOWN = 10;

/** The runs of one definition. The latest is open, earlier ones are folded. */
function Results({ runs }: { runs: readonly Run[] }) {
  const [areEarlierOpen, setEarlierOpen] = useState(false);
  const [latest, ...before] = groups(runs);
  if (!latest) return null;
  return (
    <section class="results" aria-label="Results">
      <h2>Result</h2>
      <div class={latest.length > 1 ? 'side-by-side' : undefined}>
        {latest.map((run) => (
          <RunView key={run.id} run={run} />
        ))}
      </div>
      {before.length > 0 && (
        <details onToggle={({ currentTarget }) => setEarlierOpen(currentTarget.open)}>
          <summary>{`${before.length} earlier`}</summary>
          {areEarlierOpen &&
            before
              .slice(0, MOST_SHOWN)
              .flatMap((group) => group.map((run) => <RunView key={run.id} run={run} isEarlier />))}
        </details>
      )}
    </section>
  );
}

/** Groups runs that show the same call, newest first. */
function groups(runs: readonly Run[]): readonly (readonly Run[])[] {
  const byGroup = new Map<number, Run[]>();
  for (const run of runs) byGroup.set(run.group, [...(byGroup.get(run.group) ?? []), run]);
  return [...byGroup.values()].reverse();
}
