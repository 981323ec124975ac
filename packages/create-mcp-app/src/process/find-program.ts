import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a program is found on the `PATH` of an environment. */
export function hasProgram(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const names = process.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name];
  return folders.some((folder) => names.some((file) => isExecutable(join(folder, file))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
