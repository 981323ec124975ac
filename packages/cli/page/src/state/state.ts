import type { Served } from '../../../src/dev/dev-loop.js';
import type { DevState, OutputLine } from '../../../src/dev/dev-state.js';
import type { JsonObject } from '../../../src/json.js';
import type { ShownLogin } from '../../../src/page/logins.js';
import type { Exchange } from '../../../src/page/trace.js';
import {
  shown,
  type Answer,
  type LogMessage,
  type Progress,
  type Question,
  type Revision,
  type ServerIdentity,
} from '../mcp/messages.js';

/** A kind of definition. */
export type Kind = 'tool' | 'resource' | 'template' | 'prompt';

/** For each kind of definition, the method that lists it and the result member that contains the list. */
export const KINDS = {
  tool: { method: 'tools/list', member: 'tools', key: 'name', title: 'Tools' },
  resource: { method: 'resources/list', member: 'resources', key: 'uri', title: 'Resources' },
  template: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    title: 'Templates',
  },
  prompt: { method: 'prompts/list', member: 'prompts', key: 'name', title: 'Prompts' },
} as const satisfies Record<Kind, { method: string; member: string; key: string; title: string }>;

/** A definition that the server serves. */
export interface Entry {
  readonly kind: Kind;
  /** The name, the URI, or the URI template. */
  readonly key: string;
  readonly descriptor: JsonObject;
  /** The definition as the server's manifest contains it; absent if the manifest does not contain it. */
  readonly manifest?: JsonObject;
  /** Whether this client sees the definition. A guard can hide the definition. */
  readonly isVisible: boolean;
}

/** A definition that was selected when the server stopped serving it. */
export interface Gone extends Pick<Entry, 'kind' | 'key' | 'descriptor'> {
  /**
   * The key of the definition of this kind that was added at the same time, possibly this definition with a new name.
   * Absent unless exactly one was added.
   */
  readonly successor?: string;
}

/** Returns the definition with the given key if the older list contains it and the newer list does not. */
export function goneFrom(
  kind: Kind,
  key: string,
  before: readonly JsonObject[],
  now: readonly JsonObject[],
): Gone | undefined {
  const keyOf = (one: JsonObject): string => String(one[KINDS[kind].key]);
  const descriptor = before.find((one) => keyOf(one) === key);
  if (!descriptor || now.some((one) => keyOf(one) === key)) return undefined;
  const known = new Set(before.map(keyOf));
  const [successor, ...others] = now.map(keyOf).filter((one) => !known.has(one));
  const hasOne = successor !== undefined && others.length === 0;
  return { kind, key, descriptor, ...(hasOne ? { successor } : {}) };
}

/** The content of a form. */
export interface TypedArguments {
  readonly value: unknown;
  /** The text, if the arguments were typed as JSON. */
  readonly json?: string | undefined;
}

/** The status of the server and its compiler, from the command. */
export type ServerState = Readonly<Pick<DevState, 'server' | 'compiler' | 'starts'>>;

/** A request that the developer has sent: `tools/call`, `resources/read` or `prompts/get`. */
export interface Run {
  readonly id: number;
  /** A number that runs share if they show the same call in different protocol revisions. */
  readonly group: number;
  readonly entry: { readonly kind: Kind; readonly key: string };
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  /** HTTP headers that contain copies of arguments. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly login?: string;
  readonly at: Date;
  readonly progress?: Progress;
  readonly logs: readonly LogMessage[];
  /** The answers to earlier questions. */
  readonly answers: readonly { readonly method: string; readonly result: JsonObject }[];
  /** The result whose questions are open, in a revision without sessions. */
  readonly asked?: JsonObject | undefined;
  readonly answer?: Answer;
  /** The id of the task that the call has become. */
  readonly taskId?: string;
  /** Cancels the run. @param reason a text to show instead of a result. */
  readonly cancel: (reason?: string) => void;
}

/** A task, as `tasks/get` returns it. */
export interface Task {
  readonly taskId: string;
  readonly title: string;
  /** The state of the task. Its status is `lost` if the server no longer knows the task. */
  readonly state: JsonObject;
}

/** Whether the status of a task is final. */
export function hasEnded({ state }: Task): boolean {
  return ['completed', 'failed', 'cancelled', 'lost'].includes(String(state['status']));
}

/** A question that the developer has not answered yet. */
export interface OpenQuestion {
  readonly id: number;
  readonly question: Question;
  /** The subject of the question. */
  readonly about: string;
  /** Answers the question. If the result is `undefined`, the question is refused. */
  readonly answer: (result: JsonObject | undefined) => void;
}

/** Returns the subject of an event. For a request about a task, the subject names the tool instead of the task id. */
export function subjectOf({ kind, data }: Happening, tasks: readonly Task[]): string {
  const { name, method, tool } = data;
  if (typeof method !== 'string' || !method.startsWith('tasks/'))
    return shown(tool ?? name ?? method ?? kind);
  const task = tasks.find(({ taskId }) => taskId === name);
  return task ? `${method} ${task.title}` : method;
}

/** A line in the list of events. */
export interface Happening {
  readonly id: number;
  readonly at: Date;
  readonly kind: string;
  readonly data: JsonObject;
}

export const MODES = ['2026-07-28', '2025-11-25', 'both'] as const;

/** Everything that the page shows. */
export interface State {
  /** Whether the page is connected to the command. */
  readonly isConnected: boolean;
  /** The reason why the page is not connected. */
  readonly lost?: string;
  readonly server: ServerState;
  readonly served?: Served;
  readonly mode: (typeof MODES)[number];
  readonly identity?: ServerIdentity;
  /** The reason why the page does not use the selected revision. */
  readonly notice?: string | undefined;
  /** Whether the page has read the lists of definitions through its current connection. */
  readonly hasLists: boolean;
  readonly lists: Readonly<Record<Kind, readonly JsonObject[]>>;
  /** The reason why the page could not read the lists of definitions from the server. */
  readonly listError?: string | undefined;
  readonly selected?: { readonly kind: Kind | 'task'; readonly key: string } | undefined;
  /** The last definition that the server stopped serving while the definition was selected. */
  readonly gone?: Gone | undefined;
  /** The open tab of the activity panel. */
  readonly activity?: string | undefined;
  readonly runs: readonly Run[];
  readonly tasks: readonly Task[];
  readonly questions: readonly OpenQuestion[];
  readonly exchanges: readonly Exchange[];
  /** Calls of all clients, refusals, questions and tasks, newest first. */
  readonly calls: readonly Happening[];
  readonly logs: readonly Happening[];
  /** The latest lines of the compiler, the server and the command, oldest first. */
  readonly output: readonly OutputLine[];
  readonly subscriptions: readonly string[];
  readonly changes: readonly Happening[];
  readonly logins: readonly ShownLogin[];
  /** The id of the login that requests use. */
  readonly login?: string | undefined;
}

export const FIRST_STATE: State = {
  isConnected: false,
  server: { server: { status: 'starting' }, compiler: { isCompiling: false, problems: [] }, starts: 0 },
  mode: '2026-07-28',
  hasLists: false,
  lists: { tool: [], resource: [], template: [], prompt: [] },
  runs: [],
  tasks: [],
  questions: [],
  exchanges: [],
  calls: [],
  logs: [],
  output: [],
  subscriptions: [],
  changes: [],
  logins: [],
};

/** Returns all definitions of a kind, including those that this client does not see. */
export function entriesOf({ lists, served, hasLists }: State, kind: Kind): readonly Entry[] {
  const { key: member, member: list } = KINDS[kind];
  const keyOf = (one: JsonObject): string => String(one[member]);
  const known: readonly object[] = served?.manifest[list] ?? [];
  const manifest = new Map(known.map((one) => [keyOf({ ...one }), { ...one } as JsonObject]));
  const visible = lists[kind].map((descriptor): Entry => {
    const key = keyOf(descriptor);
    const said = manifest.get(key);
    manifest.delete(key);
    return { kind, key, descriptor, isVisible: true, ...(said ? { manifest: said } : {}) };
  });
  const hidden = [...manifest].map(([key, descriptor]): Entry => ({
    kind,
    key,
    descriptor,
    manifest: descriptor,
    isVisible: !hasLists,
  }));
  return [...visible, ...hidden].sort((a, b) => (a.key < b.key ? -1 : 1));
}
