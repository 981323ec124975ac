import { relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { counted, table } from '../terminal.js';
import type { Bundled, BundleOptions } from './bundle.js';
import { TARGETS } from './targets.js';

/** The report about a bundle: as JSON for programs, and as lines for people. */
export interface Report {
  readonly json: object;
  readonly lines: readonly string[];
}

/**
 * Creates the report about a bundle: its contents and its size.
 *
 * @param shipped the folder that `ship` has written; absent if the bundle is not shipped.
 */
export function reportOf(
  { examined, files: written, external: folders, warnings }: Bundled,
  { out, minify, target }: BundleOptions,
  shipped?: string,
): Report {
  const { apps, validators } = examined.description;
  const { rules } = examined;
  const files = examined.files.map((path) => relative(process.cwd(), path));
  const external = [...folders.keys()].sort();
  const file = relative(process.cwd(), out);
  const content = written.find(({ path }) => path === out)?.contents ?? new Uint8Array();
  const [bytes, gzip] = [content.length, gzipSync(content).length];
  const rows = [
    ...apps.map(({ name, version, tools, resources, prompts }) => [
      `${name} ${version}`,
      [
        counted(tools.length, 'tool'),
        counted(resources.length, 'resource'),
        counted(prompts.length, 'prompt'),
      ].join(', '),
    ]),
    ['validators', `${validators.length} compiled ahead`],
    [
      'class-validator',
      rules === 'all' ? 'all rules, because the whole module is imported' : rules.join(', ') || 'none',
    ],
    ...external.map((name) => ['external', `${name}: must be installed beside the file`]),
    ...files.map((name) => [
      'outside',
      `${name}: the program loads it by its path, so the bundle does not contain it`,
    ]),
    ['size', `${kilobytes(bytes)}${minify ? ' minified' : ''}, ${kilobytes(gzip)} gzip`],
    ['start', TARGETS[target].start.replace('%', file)],
    ...(shipped === undefined
      ? []
      : [
          [
            'shipped',
            `${relative(process.cwd(), shipped)}${external.length > 0 ? ': run npm install --omit=dev in this folder' : ''}`,
          ],
        ]),
  ];
  return {
    json: {
      file,
      bytes,
      gzip,
      minified: minify,
      apps,
      validators: validators.length,
      rules,
      external,
      files,
      ...(shipped === undefined ? {} : { shipped: relative(process.cwd(), shipped) }),
      warnings,
    },
    lines: [file, ...table(rows).map((row) => `  ${row}`), ...warnings.map((text) => `  warning: ${text}`)],
  };
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
}
