import { describe, expect, test } from '@jest/globals';
import { withPackageManager } from '../src/package-managers.js';

const files = new Map([
  ['.gitignore', 'dist/\n'],
  ['README.md', 'npm start\n'],
  ['AGENTS.md', 'Run npm test\n'],
]);

describe('a project of a package manager', () => {
  test('needs nothing more with npm', () => {
    expect(withPackageManager(files, 'npm')).toEqual(files);
  });

  test('needs no more files with bun, and says how to start it', () => {
    expect(withPackageManager(files, 'bun')).toEqual(
      new Map([...files, ['README.md', 'bun run start\n'], ['AGENTS.md', 'Run bun run test\n']]),
    );
  });

  test('lets pnpm leave out scripts of packages without failing', () => {
    const settings = String(withPackageManager(files, 'pnpm').get('pnpm-workspace.yaml'));
    expect(settings.split('\n')).toEqual(
      expect.arrayContaining(["packages: ['.']", 'strictDepBuilds: false']),
    );
  });

  test('has yarn fill node_modules, as a project of its own, and keeps its state out of the repository', () => {
    expect(Object.fromEntries(withPackageManager(files, 'yarn'))).toEqual({
      '.gitignore': 'dist/\n.yarn/install-state.gz\n',
      'README.md': 'yarn start\n',
      'AGENTS.md': 'Run yarn test\n',
      '.yarnrc.yml': 'nodeLinker: node-modules\n',
      'yarn.lock': '',
    });
  });
});
