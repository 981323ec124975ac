#!/usr/bin/env node
/**
 * Counts patterns of English that need two readings, in comments, messages and pages.
 * `npm run docs:english` prints the counts; `npm run docs:english -- --list [pattern] [path…]` prints each place.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

/** A sentence that is longer is split. */
const MOST_WORDS = 25;

/** The patterns of a sentence, by name. */
const PATTERNS = {
  chains: (sentence) => matches(sentence, /\b(what|where|who|which|that)\b/gi) >= 3,
  'two clauses': (sentence) => matches(sentence, /\b(what|where|who|whom|whose)\b/gi) >= 2,
  told: (sentence) => matches(sentence, /\b(is|are|be|was|were|been) told\b/gi) > 0,
  idioms: (sentence) =>
    matches(
      sentence,
      /\bto be had\b|\bcomes? along\b|\b(is|are) there\b(?! (a|an|any|no)\b)|\bby its very\b/gi,
    ) > 0,
  'of which': (sentence) =>
    matches(
      sentence,
      /\bthat which\b|\b(of|by|from|with|for|to|in|at|on) (whom|which|whose|what)\b(?!.*\?$)/gi,
    ) > 0,
  'clause first': (sentence) =>
    matches(sentence, /^(what|who|whom|whose|where|whoever|whatever)\b(?!.*\?$)/gi) > 0,
  long: (sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > MOST_WORDS,
};

export const PATTERN_NAMES = Object.keys(PATTERNS);

const matches = (text, pattern) => text.match(pattern)?.length ?? 0;

/** Sentences of prose, with code and links replaced by one word. */
function sentencesOf(prose) {
  return prose
    .replace(/\{@(?:link|inheritDoc)[^}]*\}|`[^`]*`/g, 'X')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/(?<=[.!?;:])\s+|\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.|@\w))|\s*\|\s*/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}

/** The prose of a source: its comments without examples, and its messages, each with its line. */
function proseOfSource(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const seen = new Set();
  const visit = (node) => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const comment = text.slice(pos, end).replace(/^\/\*\*?|\*\/$|^\/\/ ?/g, '');
      const prose = comment.replace(/^[ \t]*\*[ \t]?/gm, '').replace(/@example[\s\S]*?(?=\n@|$)/g, '');
      found.push({ kind: 'comments', line: lineAt(pos), prose });
    }
    const parts =
      ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
        ? [node.text]
        : ts.isTemplateExpression(node)
          ? [node.head.text, ...node.templateSpans.map((span) => span.literal.text)]
          : [];
    const prose = parts.join('X');
    // Three words of one line make a message: less is a name or a value, more lines are SQL or a file.
    if (/[a-z]+ [a-z]+.* [a-z]+/i.test(prose) && !prose.trim().includes('\n'))
      found.push({ kind: 'messages', line: lineAt(node.getStart()), prose });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The prose of a page of Markdown, by its paragraphs, without its code. */
function proseOfPage(text) {
  const found = [];
  let isCode = false;
  let paragraph = { line: 1, prose: '' };
  const end = () => {
    if (paragraph.prose.trim() !== '') found.push({ kind: 'pages', ...paragraph });
  };
  text
    .replace(/^---\n[\s\S]*?\n---\n/, (frontmatter) => frontmatter.replace(/[^\n]/g, ''))
    .split('\n')
    .forEach((line, index) => {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
      const isProse = !isCode && !/^\s*(```|~~~|<)/.test(line);
      if (!isProse || line.trim() === '') {
        end();
        paragraph = { line: index + 2, prose: '' };
      } else paragraph.prose += `${line}\n`;
    });
  end();
  return found;
}

/**
 * Finds the patterns in a file.
 * @returns each sentence with one, the name of the pattern, the kind of prose, and the line.
 */
export function findPatterns(path, text) {
  const prose = path.endsWith('.md') ? proseOfPage(text) : proseOfSource(path, text);
  return prose.flatMap(({ kind, line, prose: paragraph }) =>
    sentencesOf(paragraph).flatMap((sentence) =>
      PATTERN_NAMES.filter((name) => PATTERNS[name](sentence)).map((name) => ({
        path,
        kind,
        line,
        name,
        sentence,
      })),
    ),
  );
}

const SKIPPED = new Set(['node_modules', 'dist', 'api', '.vitepress', 'screens', 'test', 'tests']);

/** The files that users and maintainers read: sources of packages, pages, READMEs. Not tests, nor what is generated. */
export function proseFiles(root) {
  const below = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) || path === 'docs/packages' ? [] : below(path);
      return /(\.md|(?<!\.d)\.tsx?)$/.test(entry.name) ? [path] : [];
    });
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...below('docs'), ...below('packages')];
}

/** @returns how often each pattern occurs, by kind of prose. */
export function countPatterns(findings) {
  const counts = {};
  for (const kind of ['comments', 'messages', 'pages'])
    counts[kind] = Object.fromEntries(
      PATTERN_NAMES.map((name) => [
        name,
        findings.filter((each) => each.kind === kind && each.name === name).length,
      ]),
    );
  return counts;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2);
  const at = args.indexOf('--root');
  const root = at === -1 ? fileURLToPath(new URL('../', import.meta.url)) : args.splice(at, 2)[1];
  const [list, ...only] = args;
  const paths = proseFiles(root).filter(
    (path) => only.length === 0 || only.some((each) => path.startsWith(each)),
  );
  const findings = paths.flatMap((path) => findPatterns(path, readFileSync(join(root, path), 'utf8')));
  if (list === '--list')
    for (const { path, line, name, sentence } of findings)
      console.log(`${relative('.', path)}:${line} [${name}] ${sentence}`);
  else console.table(countPatterns(findings));
}
