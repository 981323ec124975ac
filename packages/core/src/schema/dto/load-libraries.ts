import type * as Transformer from 'class-transformer';
import type * as Validator from 'class-validator';
import { DefinitionError, type DefinitionProblem, type Diagnostics } from '../../errors/errors.js';
import type { Constructor } from '../../protocol/constructor.js';
import type { PatternPool } from '../patterns/patterns.js';
import {
  BuiltInRules,
  type ClassLibraries,
  type ConstraintSource,
  recordedBy,
  type RuleStorage,
  type TransformerStorage,
} from './class-libraries.js';

/**
 * Loads class-validator and class-transformer. Loading takes about 60 ms, so this function must not be called for
 * apps without DTO classes.
 *
 * @returns `undefined` if one of them is not installed. `reportNotInstalled()` then reports every class that
 * is used as a DTO.
 * @throws DefinitionError if class-transformer's metadata storage cannot be found.
 */
export async function loadClassLibraries(
  patterns: PatternPool,
  constraints: ConstraintSource,
): Promise<ClassLibraries | undefined> {
  const [validator, transformer, transforms] = await Promise.all([
    loadValidator(),
    loadTransformer(),
    loadTransforms(),
  ]);
  if (!validator || !transformer || transforms === 'not installed') return undefined;
  if (transforms === undefined) throw new DefinitionError([UNKNOWN_COPY]);
  const rules = validator.getMetadataStorage() as unknown as RuleStorage;
  return {
    rules,
    builtIn: new BuiltInRules(validator, rules),
    isOwnRule: recordedBy(rules, validator.Allow),
    transforms,
    plainToInstance: transformer.plainToInstance,
    instanceToPlain: transformer.instanceToPlain,
    patterns,
    constraints,
  };
}

// Bundlers leave an import alone that stands within `try`, when they do not find the package.

async function loadValidator(): Promise<typeof Validator | undefined> {
  try {
    return exportsOf(await import('class-validator'), 'getMetadataStorage');
  } catch (error) {
    return undefinedWhenMissing(error);
  }
}

async function loadTransformer(): Promise<typeof Transformer | undefined> {
  try {
    return exportsOf(await import('class-transformer'), 'plainToInstance');
  } catch (error) {
    return undefinedWhenMissing(error);
  }
}

/**
 * Returns the exports of a CommonJS package. Bundlers that split a program into files expose them as
 * `default` only.
 *
 * @param name one of the exports.
 */
function exportsOf<T extends object>(module: T, name: keyof T): T {
  return name in module ? module : (module as { readonly default: T }).default;
}

/**
 * The modules of class-transformer that may contain its metadata storage. Node loads the first; bundlers
 * prefer ES modules, which have a separate storage.
 */
const STORAGES: readonly (() => Promise<{ readonly defaultMetadataStorage: unknown } | undefined>)[] = [
  async () => {
    try {
      return exportsOf(await import('class-transformer/cjs/storage.js'), 'defaultMetadataStorage');
    } catch (error) {
      return undefinedWhenMissing(error);
    }
  },
  async () => {
    try {
      return await import('class-transformer/esm5/storage.js');
    } catch {
      // Node itself cannot load it.
      return undefined;
    }
  },
  async () => {
    try {
      return await import('class-transformer/esm2015/storage.js');
    } catch {
      return undefined;
    }
  },
];

/**
 * Finds class-transformer's metadata storage. Applies a class-transformer decorator to a class, and searches each
 * known storage for the decorator's metadata.
 *
 * @returns the storage; 'not installed' if class-transformer is missing; `undefined` if no known storage contains the
 *   decorator's metadata.
 */
export async function loadTransforms(): Promise<TransformerStorage | 'not installed' | undefined> {
  const transformer = await loadTransformer();
  if (!transformer) return 'not installed';
  class Probe {}
  transformer.Exclude()(Probe.prototype, 'value');
  for (const load of STORAGES) {
    const storage = (await load())?.defaultMetadataStorage as TransformerStorage | undefined;
    if (storage && storage.getExcludedMetadatas(Probe).length > 0) return storage;
  }
  return undefined;
}

/** Handles a failed import. @returns `undefined` if the package is missing. @throws any other error. */
function undefinedWhenMissing(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  // The codes of `import`, and of `require`, which bundlers and Jest may substitute.
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
}

/** Reports that a class is used as a DTO, although class-validator and class-transformer are not loaded. */
export function reportNotInstalled({ name }: Constructor, at: Diagnostics): void {
  at.add(
    'SIGIL_NO_CLASS_VALIDATOR',
    `class ${name} is used as a DTO, but class-validator and class-transformer are not loaded`,
    'npm install class-validator class-transformer; for a class that is added to a running app, also import class-validator before createApp() is called',
  );
}

const ONE_COPY =
  'bundle @sigil/core, class-validator and class-transformer together, or keep all three external; npm ls class-validator class-transformer shows the installed copies';

const UNKNOWN_COPY: DefinitionProblem = {
  code: 'SIGIL_TWO_COPIES',
  where: 'class-transformer',
  what: 'the metadata of its decorators was not found, so @Exclude, @Expose and @Transform would have no effect',
  fix: `${ONE_COPY}; use version 0.5 of class-transformer`,
};

/**
 * Reports that the decorators of a class belong to another installed copy of class-validator.
 */
export function reportAnotherCopy({ name }: Constructor, at: Diagnostics): void {
  const what = `class ${name} uses another copy of class-validator than the server, so its @Exclude, @Expose and @Transform may have no effect`;
  at.add('SIGIL_TWO_COPIES', what, ONE_COPY);
}
