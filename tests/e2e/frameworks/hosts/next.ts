import { type NextHandlers, nextHandlers } from '@sigil/next';
import { createContractApp, MOUNTS } from '../contract-app.js';

/** The handlers of each mount, in their order: a route of Next exports those of one. */
export const mounted: readonly NextHandlers[] = MOUNTS.map(({ options }) =>
  nextHandlers(() => createContractApp(), options),
);
