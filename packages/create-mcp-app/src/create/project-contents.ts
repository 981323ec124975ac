import { Failure } from '../failures.js';
import { findCheckout, packagesNeeded } from '../local/checkout.js';
import { packPackages, type PackOptions } from '../local/pack-packages.js';
import { pointToVendor } from '../local/point-to-vendor.js';
import { dependencyNames, readManifest } from '../project/manifest.js';
import { withPackageManager } from '../project/package-manager-files.js';
import type { ProjectFiles } from '../project/project-files.js';
import { readTemplate } from '../template/read-template.js';
import type { Choices } from './choices.js';

/**
 * The files of a new project: of its template, of its package manager, and the packages of a checkout where they are used.
 *
 * @throws Failure `NO_LOCAL_PACKAGES` when they are wanted and not to be had.
 */
export async function projectContents(choices: Choices, options: PackOptions): Promise<ProjectFiles> {
  const { template, name, packageManager, local } = choices;
  const files = withPackageManager(await readTemplate(template, name), packageManager);
  // In a checkout the packages that lie beside this one are meant, which no registry may have.
  const checkout = findCheckout();
  if (!checkout) {
    if (!local) return files;
    throw new Failure(
      'NO_LOCAL_PACKAGES',
      '--local is for a checkout of Sigil, and this command was installed from a registry: leave the flag out',
    );
  }
  const manifest = readManifest(String(files.get('package.json')));
  const needed = packagesNeeded(checkout, manifest ? dependencyNames(manifest) : []);
  return pointToVendor(files, await packPackages(checkout, needed, options), packageManager);
}
