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

/** How lists and members of each kind are named. */
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

/** Something that is served. */
export interface Entry {
  readonly kind: Kind;
  /** The name, URI or URI template. */
  readonly key: string;
  readonly descriptor: JsonObject;
  /** Its further members in the manifest. */
  readonly manifest?: JsonObject;
  /** Whether this client sees it: a guard may hide it. */
  readonly isVisible: boolean;
}

/** A definition that was selected when the server stopped serving it. */
export interface Gone extends Pick<Entry, 'kind' | 'key' | 'descriptor'> {
  /** The only definition of its kind that was added at the same time: perhaps its new name. */
  readonly successor?: string;
}

/** The definition with a key, if a new list of its kind does not have it. */
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
  /** The text, if they were typed as JSON. */
  readonly json?: string | undefined;
}

/** The server and its compiler, as the command sees them. */
export type ServerState = Readonly<Pick<DevState, 'server' | 'compiler' | 'starts'>>;

/** A call, read or get that the developer has sent. */
export interface Run {
  readonly id: number;
  /** The same for two that show one call in two revisions. */
  readonly group: number;
  readonly entry: { readonly kind: Kind; readonly key: string };
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  /** Headers that repeat arguments. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly login?: string;
  readonly at: Date;
  readonly progress?: Progress;
  readonly logs: readonly LogMessage[];
  /** Answers to earlier questions. */
  readonly answers: readonly { readonly method: string; readonly result: JsonObject }[];
  /** The result whose questions are open, in a revision without sessions. */
  readonly asked?: JsonObject | undefined;
  readonly answer?: Answer;
  /** The task that the call has become. */
  readonly taskId?: string;
  /** @param reason is shown in place of a result. */
  readonly cancel: (reason?: string) => void;
}

/** A task, as `tasks/get` shows it. */
export interface Task {
  readonly taskId: string;
  readonly title: string;
  /** Its status is `lost` if the server does not tell it any more. */
  readonly state: JsonObject;
}

/** Whether the status of a task changes no more. */
export function hasEnded({ state }: Task): boolean {
  return ['completed', 'failed', 'cancelled', 'lost'].includes(String(state['status']));
}

/** A question that waits for the developer. */
export interface OpenQuestion {
  readonly id: number;
  readonly question: Question;
  /** Its subject. */
  readonly about: string;
  /** `undefined` refuses it. */
  readonly answer: (result: JsonObject | undefined) => void;
}

/** The subject of an event of the server: for tasks, their tool instead of their identifier. */
export function subjectOf({ kind, data }: Happening, tasks: readonly Task[]): string {
  const { name, method, tool } = data;
  if (typeof method !== 'string' || !method.startsWith('tasks/'))
    return shown(tool ?? name ?? method ?? kind);
  const task = tasks.find(({ taskId }) => taskId === name);
  return task ? `${method} ${task.title}` : method;
}

/** A line of a list that grows. */
export interface Happening {
  readonly id: number;
  readonly at: Date;
  readonly kind: string;
  readonly data: JsonObject;
}

export const MODES = ['2026-07-28', '2025-11-25', 'both'] as const;

/** Everything that the page shows. */
export interface State {
  /** Whether the page hears of the command. */
  readonly isConnected: boolean;
  /** Why it does not. */
  readonly lost?: string;
  readonly server: ServerState;
  readonly served?: Served;
  readonly mode: (typeof MODES)[number];
  readonly identity?: ServerIdentity;
  /** Why the page does not speak the chosen revision. */
  readonly notice?: string | undefined;
  /** Whether the lists are those of this client. */
  readonly hasLists: boolean;
  readonly lists: Readonly<Record<Kind, readonly JsonObject[]>>;
  /** The reason why the lists are missing. */
  readonly listError?: string | undefined;
  readonly selected?: { readonly kind: Kind | 'task'; readonly key: string } | undefined;
  /** The last selected definition that is no longer served. */
  readonly gone?: Gone | undefined;
  /** The open tab of the activity. */
  readonly activity?: string | undefined;
  readonly runs: readonly Run[];
  readonly tasks: readonly Task[];
  readonly questions: readonly OpenQuestion[];
  readonly exchanges: readonly Exchange[];
  /** Calls of all clients, refusals, questions and tasks, the latest first. */
  readonly calls: readonly Happening[];
  readonly logs: readonly Happening[];
  /** The latest lines of the compiler, the server and the command, the oldest first. */
  readonly output: readonly OutputLine[];
  readonly subscriptions: readonly string[];
  readonly changes: readonly Happening[];
  readonly logins: readonly ShownLogin[];
  /** The login that requests are sent with. */
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

/** All definitions, including those that this client does not see. */
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
