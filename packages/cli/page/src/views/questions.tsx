import { useId, useState } from 'preact/hooks';
import { isObject, type JsonObject } from '../../../src/json.js';
import { SchemaForm } from '../form/schema-form.js';
import { textOf } from '../mcp/messages.js';
import type { OpenQuestion } from '../state/state.js';
import { Messages } from './content.js';
import { Dialog, Json } from './parts.js';
import { useStore } from './page-context.js';

/** Shows the open questions of the server, one at a time. */
export function Questions() {
  const { questions } = useStore();
  const [first] = questions;
  if (!first) return null;
  const more = questions.length - 1;
  return <QuestionDialog key={first.id} asked={first} more={more} />;
}

function QuestionDialog({ asked, more }: { asked: OpenQuestion; more: number }) {
  const { question, about, answer } = asked;
  const { method, params } = question;
  const isForm = method === 'elicitation/create';
  return (
    <Dialog title={titleOf(method)} onClose={() => answer(isForm ? { action: 'cancel' } : undefined)}>
      <p class="muted">
        {`Asked by ${about}`}
        {more > 0 && `; ${more} more ${more === 1 ? 'question waits' : 'questions wait'}`}
      </p>
      {isForm && params['mode'] === 'url' && <Page params={params} answer={answer} />}
      {isForm && params['mode'] !== 'url' && <Form params={params} answer={answer} />}
      {method === 'sampling/createMessage' && <Sampling params={params} answer={answer} />}
      {method === 'roots/list' && <Roots answer={answer} />}
      {!isForm && !KNOWN.includes(method) && (
        <>
          <Json value={params} name={method} />
          <button type="button" onClick={() => answer(undefined)}>
            Refuse
          </button>
        </>
      )}
    </Dialog>
  );
}

const KNOWN = ['sampling/createMessage', 'roots/list'];

function titleOf(method: string): string {
  if (method === 'elicitation/create') return 'The server asks the user';
  if (method === 'sampling/createMessage') return 'The server asks the model';
  return method === 'roots/list' ? 'The server asks for roots' : 'The server asks';
}

interface QuestionProps {
  readonly params: JsonObject;
  readonly answer: (result: JsonObject | undefined) => void;
}

function Form({ params, answer }: QuestionProps) {
  return (
    <>
      <p class="instructions">{textOf(params['message'])}</p>
      <SchemaForm
        schema={params['requestedSchema'] ?? { type: 'object' }}
        label="Answer"
        submit="Accept"
        onSubmit={(content) => answer({ action: 'accept', content })}
      >
        <button type="button" onClick={() => answer({ action: 'decline' })}>
          Decline
        </button>
        <button type="button" onClick={() => answer({ action: 'cancel' })}>
          Cancel
        </button>
      </SchemaForm>
    </>
  );
}

/** Shows the URL of a page, and lets the developer open it. */
function Page({ params, answer }: QuestionProps) {
  const url = String(params['url']);
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = address?.protocol === 'https:' || address?.protocol === 'http:';
  return (
    <>
      <p class="instructions">{textOf(params['message'])}</p>
      <p>
        The page is at <strong>{address?.host || 'no host'}</strong>:
      </p>
      <p>
        <code class="address">{url}</code>
      </p>
      {!isWeb && <p class="problem">Only addresses that begin with http or https are opened.</p>}
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={!isWeb}
          onClick={() => {
            window.open(url, '_blank', 'noopener,noreferrer');
            answer({ action: 'accept' });
          }}
        >
          {`Open ${address?.host ?? ''} and accept`}
        </button>
        <button type="button" onClick={() => answer({ action: 'accept' })}>
          Accept without opening
        </button>
        <button type="button" onClick={() => answer({ action: 'decline' })}>
          Decline
        </button>
        <button type="button" onClick={() => answer({ action: 'cancel' })}>
          Cancel
        </button>
      </div>
    </>
  );
}

/** Shows a sampling request, and lets the developer answer as the model. */
function Sampling({ params, answer }: QuestionProps) {
  const id = useId();
  const [text, setText] = useState('');
  const { messages, systemPrompt, ...rest } = params;
  const send = (): void =>
    answer({ role: 'assistant', content: { type: 'text', text }, model: 'developer', stopReason: 'endTurn' });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
      }}
    >
      {typeof systemPrompt === 'string' && (
        <section class="message">
          <h3>system</h3>
          <pre class="text">{systemPrompt}</pre>
        </section>
      )}
      <Messages messages={messages} />
      <details>
        <summary>Settings</summary>
        <Json value={rest} />
      </details>
      <div class="field">
        <label for={id}>Your answer, as the model</label>
        <div class="control">
          <textarea id={id} rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </div>
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          Answer
        </button>
        <button type="button" onClick={() => answer(undefined)}>
          Refuse
        </button>
        <span class="muted keys">Ctrl+Enter</span>
      </div>
    </form>
  );
}

const ROOTS_KEY = 'sigil.roots';
const ROOTS_SCHEMA = {
  type: 'object',
  properties: {
    roots: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          uri: { type: 'string', format: 'uri', examples: ['file:///work'] },
          name: { type: 'string' },
        },
        required: ['uri'],
      },
    },
  },
  required: ['roots'],
};

/** Lets the developer enter the folders that the server may use. They are stored for the next question. */
function Roots({ answer }: Omit<QuestionProps, 'params'>) {
  const kept = sessionStorage.getItem(ROOTS_KEY);
  const value: unknown = kept === null ? { roots: [{ uri: 'file:///work' }] } : JSON.parse(kept);
  return (
    <SchemaForm
      schema={ROOTS_SCHEMA}
      label="Roots"
      initial={{ value }}
      submit="Share"
      onSubmit={(shared) => {
        sessionStorage.setItem(ROOTS_KEY, JSON.stringify(shared));
        if (isObject(shared)) answer(shared);
      }}
    >
      <button type="button" onClick={() => answer(undefined)}>
        Refuse
      </button>
    </SchemaForm>
  );
}
