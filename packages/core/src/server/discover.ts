import { messageOf } from '../errors/from-unknown.js';
import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import { hasHandlers, isClass } from '../registry/scan.js';
import { listFiles } from './host.js';

const MODULE = /\.(?:js|mjs|ts|mts)$/;
const NOT_A_SERVICE = /\.d\.m?ts$|\.(?:test|spec)\.m?[jt]s$/;

/**
 * Imports every module below a folder, tests and declarations aside, and gives the exported classes that have decorated
 * methods, in alphabetical order of their files. A module that cannot be imported is a problem, not a warning.
 */
export async function discover(folder: URL, problems: Problem[]): Promise<Constructor[]> {
  const found = new Set<Constructor>();
  for (const file of filesIn(folder, problems)) {
    try {
      const exported = Object.values((await import(file.href)) as Record<string, unknown>);
      for (const value of exported) if (isClass(value) && hasHandlers(value)) found.add(value);
    } catch (error) {
      problems.push(
        problem(file, messageOf(error), 'make the module importable, or move it out of the folder'),
      );
    }
  }
  if (found.size === 0 && problems.length === 0) {
    problems.push(
      problem(
        folder,
        'no exported class in it has decorated methods',
        'export the services, and build them first',
      ),
    );
  }
  return [...found];
}

function filesIn(folder: URL, problems: Problem[]): URL[] {
  try {
    return listFiles(folder).filter(({ pathname }) => MODULE.test(pathname) && !NOT_A_SERVICE.test(pathname));
  } catch (error) {
    const fix =
      'give createApp({ discover }) a folder that is there at run time, such as new URL("./services/", import.meta.url)';
    problems.push(problem(folder, messageOf(error), fix));
    return [];
  }
}

function problem(place: URL, what: string, fix: string): Problem {
  return { code: 'SIGIL_DISCOVERY_FAILED', where: decodeURIComponent(place.pathname), what, fix };
}
