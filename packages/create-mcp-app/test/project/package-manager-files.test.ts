import { describe, expect, test } from '@jest/globals';
import { withPackageManager } from '../../src/project/package-manager-files.js';

const files = new Map([['.gitignore', 'dist/\n']]);

describe('a project of a package manager', () => {
  test.each(['npm', 'bun'] as const)('needs nothing more with %s', (name) => {
    expect(withPackageManager(files, name)).toEqual(files);
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
      '.yarnrc.yml': 'nodeLinker: node-modules\n',
      'yarn.lock': '',
    });
  });
});
