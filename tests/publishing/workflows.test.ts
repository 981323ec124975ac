import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { manifestIn } from './packages.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { steps: Step[]; permissions?: unknown; strategy?: { matrix: unknown } }>
  >;
}

const FOLDER = '.github/workflows/';

function workflow(name: string): Workflow {
  return parse(readFileSync(FOLDER + name, 'utf8')) as Workflow;
}

/** Every command line of a workflow, those that actions are told included. */
function commands({ jobs }: Workflow): string[] {
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  return steps
    .flatMap(({ run, with: told }) => [run, told?.['version'], told?.['publish']])
    .filter((line) => typeof line === 'string');
}

describe.each(readdirSync(FOLDER))('the workflow %s', (name) => {
  test('calls scripts and programs that exist, and no other', () => {
    const { scripts = {}, devDependencies = {} } = manifestIn('.') as {
      scripts?: Record<string, string>;
      devDependencies?: Record<string, string>;
    };
    for (const line of commands(workflow(name))) {
      const [program = '', verb = '', what = ''] = line.split(' ');
      if (program === 'npm' && verb === 'run') expect(Object.keys(scripts)).toContain(what);
      else if (program === 'npx')
        expect([verb, '@changesets/cli' in devDependencies]).toEqual(['changeset', true]);
      else if (program === 'npm') expect(verb).toBe('install');
      else expect(() => accessSync(program, constants.X_OK)).not.toThrow();
    }
    expect(commands(workflow(name)).length).toBeGreaterThan(0);
  });

  test('pins actions by commit, with the version beside it, and has no more rights than it says', () => {
    const { jobs, permissions } = workflow(name);
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    for (const action of used) expect(action).toMatch(/^(actions|changesets)\/[a-z-]+@[0-9a-f]{40}$/);
    const lines = readFileSync(FOLDER + name, 'utf8').match(/uses: .*/g) ?? [];
    for (const line of lines) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(lines).toHaveLength(used.length);
    expect(permissions).toBeDefined();
  });
});

test('changes are tested on every version of Node that is supported', () => {
  expect(workflow('ci.yml').jobs['test']?.strategy).toMatchObject({ matrix: { node: [20, 22, 24] } });
  expect(workflow('ci.yml').on).toHaveProperty('pull_request');
});

test('releases are tested, may open a pull request, and prove where they come from', () => {
  const { jobs, on } = workflow('release.yml');
  expect(on).toEqual({ push: { branches: ['main'] } });
  expect(jobs['release']?.permissions).toEqual({
    contents: 'write',
    'pull-requests': 'write',
    'id-token': 'write',
  });
  const steps = jobs['release']?.steps ?? [];
  const tested = steps.findIndex(({ run }) => run === '.ci/run');
  const released = steps.findIndex(({ uses }) => uses?.startsWith('changesets/action@'));
  expect([tested >= 0, released > tested]).toEqual([true, true]);
  // What an earlier build left must not be packed.
  const publish = 'git clean -fdXq -- packages/*/dist && npm run build && changeset publish';
  expect(manifestIn('.').scripts?.['release:publish']).toBe(publish);
});

test('vulnerabilities are reported in private, and what is promised has a date', () => {
  const policy = readFileSync('SECURITY.md', 'utf8');
  expect(policy).toMatch(/## Reporting a vulnerability[^#]*privately/);
  expect(policy).toMatch(/## What is promised[^#]*within \d+ days/);
});
