import type { ExtensionCall, ExtensionHost, ExtensionMethod } from '@sigil/core';
import { type Directory, directoriesOf, isDirectory } from './directories.js';
import { pageOf } from './page.js';
import { notServed, readUri } from './read-uri.js';
import type { ServedFiles } from './served-files.js';
import type { SkillFile } from './skill-file.js';

const DIRECTORY = 'inode/directory';

/** `resources/directory/read` (SEP-2640, "Directory Listing"). */
export function directoryMethod(
  files: readonly SkillFile[],
  served: ServedFiles,
  { pageSize }: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  const directories = directoriesOf(files);

  async function isVisible(call: ExtensionCall, directory: Directory): Promise<boolean> {
    return (await served.visible(call, directory.files)).length > 0;
  }

  async function show(call: ExtensionCall, child: Directory | SkillFile): Promise<object | undefined> {
    if (!isDirectory(child)) return (await served.find(call, child.uri))?.descriptor;
    const { uri, name } = child;
    return (await isVisible(call, child)) ? { uri, name, mimeType: DIRECTORY } : undefined;
  }

  return {
    'resources/directory/read': {
      undeclared: true,
      async serve(call, params) {
        const uri = readUri(params);
        const found = directories.get(uri);
        if (!found || !(await isVisible(call, found))) throw notServed('directory', uri);
        const children = [...found.children];
        const page = await pageOf(children, params['cursor'], pageSize, (child) => show(call, child));
        return { resources: page.shown, ...page.next, ...served.cache };
      },
    },
  };
}
