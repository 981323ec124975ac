import { TEMPLATE_NAMES } from '../template/template-names.js';
import { PACKAGE_MANAGER_NAMES } from '../project/package-managers.js';
import type { Flag } from './flag.js';

/** Flags that both commands have. */
const COMMON: readonly Flag[] = [
  { name: 'force', purpose: 'write over files that are there, through no link; nothing else is removed' },
  { name: 'dry-run', purpose: 'tell what would be written and run, and do nothing' },
  { name: 'json', purpose: 'ask nothing, and print one JSON object' },
  { name: 'help', short: 'h', purpose: 'show this' },
];

/** Flags of the command itself, in the order in which they are told. */
export const CREATE_FLAGS: readonly Flag[] = [
  { name: 'template', value: TEMPLATE_NAMES.join('|'), purpose: 'what to begin with; minimal by default' },
  {
    name: 'pm',
    value: PACKAGE_MANAGER_NAMES.join('|'),
    purpose: 'package manager; by default the one that runs this, or npm',
  },
  { name: 'no-install', purpose: 'write the files, and install, build and start nothing' },
  { name: 'no-git', purpose: 'make no git repository' },
  { name: 'yes', short: 'y', purpose: 'ask nothing: take what is said here for everything not given' },
  { name: 'local', purpose: 'use the packages of the checkout of Sigil that this command is in' },
  ...COMMON,
  { name: 'version', purpose: 'show the version' },
];

/** Flags of `add`. */
export const ADD_FLAGS: readonly Flag[] = COMMON;
