import { type PackageManagerName, runArguments } from './package-managers.js';

/** Commands of npm as they are written in the README of a template, with the room before a comment. */
const NPM_COMMAND = /\bnpm (install|test|start|run ([\w-]+))\b( +(?=#))?/g;

/**
 * Writes commands for npm as those of another package manager. Comments behind them stay in their columns.
 *
 * @param text such as ``Run `npm run build` first``.
 */
export function inCommandsOf(name: PackageManagerName, text: string): string {
  if (name === 'npm') return text;
  return text.replace(NPM_COMMAND, (match, verb: string, script: string | undefined, room?: string) => {
    const words = verb === 'install' ? ['install'] : runArguments(name, script ?? verb);
    const command = [name, ...words].join(' ');
    return room === undefined ? command : `${command} `.padEnd(match.length);
  });
}
