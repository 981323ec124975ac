import { isObject } from '../protocol/json.js';
import { hasFile, readText } from './host.js';

const MAP = /^\/\/# sourceMappingURL=(\S+)\s*$/gm;
const INLINE = /^data:application\/json;(?:charset=utf-8;)?base64,/i;

/**
 * Of compiled files, those whose source is gone, with that source. Told by their source maps: a file counts when none of its
 * sources is there while those of others are, so that a program that was deployed without its sources is whole.
 */
export function staleFiles(files: readonly URL[]): ReadonlyMap<URL, URL> {
  const stale = new Map<URL, URL>();
  let hasSources = false;
  for (const file of files) {
    const sources = sourcesOf(file);
    const [first] = sources;
    if (!first) continue;
    if (sources.some(hasFile)) hasSources = true;
    else stale.set(file, first);
  }
  return hasSources ? stale : new Map();
}

/** The source files that the source map of a compiled file names. */
function sourcesOf(file: URL): URL[] {
  const reference = [...(readText(file) ?? '').matchAll(MAP)].at(-1)?.[1];
  if (reference === undefined) return [];
  const isInline = INLINE.test(reference);
  try {
    const at = isInline ? file : new URL(reference, file);
    const text = isInline ? atob(reference.replace(INLINE, '')) : readText(at);
    const map: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isObject(map) || !Array.isArray(map['sources'])) return [];
    const root = typeof map['sourceRoot'] === 'string' ? map['sourceRoot'] : '';
    const base = root === '' ? at : new URL(root.endsWith('/') ? root : `${root}/`, at);
    return map['sources']
      .map((source) => new URL(String(source), base))
      .filter(({ protocol }) => protocol === 'file:');
  } catch {
    // A source map that cannot be read says nothing.
    return [];
  }
}
