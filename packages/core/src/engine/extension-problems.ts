import type { Problem } from '../errors/definition-error.js';
import type { Extension } from './extension.js';

/** What is wrong with extensions beside each other: one that is there twice, or a method that two of them add. */
export function extensionProblems(extensions: readonly Extension[]): Problem[] {
  const ids = extensions.map(({ id }) => `the extension '${id}'`);
  const methods = extensions.flatMap(({ methods = {} }) =>
    Object.keys(methods).map((method) => `the method '${method}'`),
  );
  const names = [...ids, ...methods];
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => ({
    code: 'SIGIL_DUPLICATE_NAME',
    where: 'createApp({ extensions })',
    what: `${name} is there twice`,
    fix: 'take one of them off the list',
  }));
}
