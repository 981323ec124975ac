import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = process.cwd();

/** A block of TypeScript in a page, named by its first line: `// main.ts`. */
export interface CodeBlock {
  readonly name: string;
  readonly code: string;
}

/** The TypeScript blocks of a page. */
export async function codeBlocks(page: string): Promise<CodeBlock[]> {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => {
    const name = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1];
    if (name === undefined)
      throw new Error(`a code block of ${page} does not begin with its file name:\n${code}`);
    return { name, code };
  });
}

/** The blocks of another language in a page, such as `sh` or `toml`. */
export async function textBlocks(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(root, page), 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, block = '']) => block);
}

/**
 * Compiles blocks with the compiler and the settings the documentation asks users for.
 *
 * @param name of a folder for them, not shared with other tests.
 * @param project whose packages the blocks find, besides those of this checkout.
 * @returns the folder with the JavaScript.
 * @throws Error with the compiler's output when a block does not compile.
 */
export async function compile(
  blocks: readonly CodeBlock[],
  name: string,
  project: string = root,
): Promise<string> {
  // Inside the project, so that imports resolve as they do for anybody who installed the packages.
  const folder = join(project, 'node_modules/.cache/sigil-docs', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const config = {
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      skipLibCheck: true,
      outDir: 'dist',
      rootDir: '.',
    },
    include: ['**/*.ts'],
    exclude: ['dist'],
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const block of blocks) {
    const path = join(folder, block.name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, block.code);
  }
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder]);
  await run.catch((error: { stdout?: string }) => {
    throw new Error(`the code blocks do not compile:\n${error.stdout ?? ''}`);
  });
  return join(folder, 'dist');
}
