import type { AppOptions } from '@sigil/core';
import { AuditTrail } from './audit.js';
import { database } from './database.js';
import { RolesGuard } from './roles.js';
import { tickets } from './tickets.js';

/** The helpdesk: its modules, and what holds for all of them. */
export const helpdesk = {
  name: 'helpdesk',
  version: '1.0.0',
  modules: [tickets],
  providers: database,
  guards: [RolesGuard],
  middleware: [AuditTrail],
} satisfies AppOptions;
