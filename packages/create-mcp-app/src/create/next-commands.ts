import { join } from 'node:path';
import { quoted } from '../process/run-command.js';
import { runArguments } from '../project/package-managers.js';
import { nearby } from './read-target.js';
import { PROGRAM, type Plan } from './plan.js';

/**
 * The commands to go on with.
 *
 * @param cwd where they are typed.
 */
export function nextCommands({ directory, name, packageManager, installs }: Plan, cwd: string): string[] {
  const run = (script: string): string => [packageManager, ...runArguments(packageManager, script)].join(' ');
  return [
    ...(directory === cwd ? [] : [`cd ${quoted(nearby(cwd, directory))}`]),
    ...(installs ? [] : [`${packageManager} install`, run('build')]),
    run('dev'),
    `claude mcp add ${name} -- node ${quoted(join(directory, PROGRAM))} --stdio`,
  ];
}
