import type {
  AppExtension,
  DefinitionDetails,
  ExtensionCall,
  ExtensionHost,
  ExtensionMethod,
  ExtensionResult,
  ToolCalls,
  ToolEntry,
} from '@sigil/core/extension';
import {
  applyDecorators,
  createMetadataDecorator,
  invalidParams,
  type NextFunction,
  type DefinitionProblem,
  type RequestContext,
  UseMiddleware,
} from '@sigil/core';
import { content } from '@sigil/core/content';

/** What the extension is negotiated by, and the member of `_meta` that it owns. */
export const DRY_RUN = 'com.example/dry-run';

/** The `resultType` of an answer that says what would be run. */
export const WOULD_RUN = 'com.example/would-run';

/** What a client is told in place of the result of the handler. */
export interface WouldRun {
  readonly name: string;
  readonly arguments: unknown;
}

/** What `dryRun` may be told. */
export interface DryRunOptions {
  /**
   * Most permissions kept; beyond them the oldest is forgotten, and its tool is tried again before it runs.
   * @default 1000
   */
  readonly limit?: number;
}

/** The arguments of a call that is tried, once they are checked. */
interface Trial {
  checked?: { readonly args: unknown };
}

const Marked = createMetadataDecorator<true>(Symbol('dry run'));
const TRIAL = Symbol('trial');

/** Marks a tool that clients with the extension try before they run it. */
export function DryRun(): MethodDecorator {
  return applyDecorators(Marked(true), UseMiddleware(stopBeforeHandler));
}

/** Lets clients see what a tool would do; they run it after `dry-run/allow`. */
export function dryRun({ limit = 1000 }: DryRunOptions = {}): AppExtension {
  return {
    problems: limitProblems(limit),
    check: readOnlyProblems,
    describe: (definition) => (isMarked(definition) ? { [DRY_RUN]: true } : undefined),
    create(host) {
      const permissions = new Permissions(limit);
      return {
        id: DRY_RUN,
        settings: () => ({}),
        methods: { 'dry-run/allow': allowMethod(host, permissions) },
        toolCalls: (tool) => (isMarked(tool.info) ? trials(tool, permissions) : undefined),
      };
    },
  };
}

/** Who may run what, in the order it was allowed. */
class Permissions {
  readonly #keys = new Set<string>();

  constructor(private readonly limit: number) {}

  add(call: ExtensionCall, tool: string): void {
    const key = keyOf(call, tool);
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > this.limit && oldest !== undefined) this.#keys.delete(oldest);
  }

  has(call: ExtensionCall, tool: string): boolean {
    return this.#keys.has(keyOf(call, tool));
  }
}

/** Callers without a principal are one; no id of a principal is mistaken for theirs. */
function keyOf({ principal }: ExtensionCall, tool: string): string {
  return JSON.stringify([principal?.id ?? null, tool]);
}

function isMarked(definition: Pick<DefinitionDetails, 'metadata'>): boolean {
  return Marked.of(definition) === true;
}

function allowMethod({ registry }: ExtensionHost, permissions: Permissions): ExtensionMethod {
  return {
    namedBy: 'name',
    async serve(call, { name }) {
      const tool = typeof name === 'string' ? registry.tools.get(name) : undefined;
      if (!tool || !isMarked(tool.info) || !(await call.sees(tool))) {
        throw invalidParams('There is no such tool that can be tried', { name });
      }
      permissions.add(call, tool.key);
      return {};
    },
  };
}

function trials({ key }: ToolEntry, permissions: Permissions): ToolCalls {
  return {
    async serve(call, next) {
      if (!call.declares(DRY_RUN) || permissions.has(call, key)) return next();
      const trial: Trial = {};
      call.state[TRIAL] = trial;
      const result = await next();
      return trial.checked ? wouldRun({ name: key, arguments: trial.checked.args }) : result;
    },
  };
}

/** Only middleware sees the arguments of a call. What it returns satisfies any output schema, and is never sent. */
function stopBeforeHandler({ args, state }: RequestContext, next: NextFunction): unknown {
  const trial = state[TRIAL] as Trial | undefined;
  if (!trial) return next();
  trial.checked = { args };
  return { isError: true, content: [] };
}

function wouldRun(what: WouldRun): ExtensionResult {
  const said = content.text(`Would run ${what.name} with ${JSON.stringify(what.arguments)}`);
  return { resultType: WOULD_RUN, content: [said], _meta: { [DRY_RUN]: what } };
}

function readOnlyProblems(definition: DefinitionDetails): DefinitionProblem[] {
  if (!isMarked(definition) || !definition.annotations?.readOnlyHint) return [];
  const what = 'a read-only tool changes nothing to be tried';
  const where = `${definition.where}, @DryRun`;
  return [{ code: 'SIGIL_INVALID_OPTIONS', where, what, fix: 'remove @DryRun or readOnly' }];
}

function limitProblems(limit: number): DefinitionProblem[] {
  if (Number.isInteger(limit) && limit > 0) return [];
  const what = `a limit of ${limit} is out of range`;
  return [{ code: 'SIGIL_INVALID_OPTIONS', where: 'dryRun({ limit })', what, fix: 'write 1 or more' }];
}
