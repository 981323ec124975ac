import { isSuspension, type Middleware, type NextFunction, type RequestContext, Service } from '@sigil/core';
import { Database } from './database.js';

export interface AuditEntry {
  readonly principal: string;
  readonly definition: string;
  readonly args: unknown;
  readonly outcome: 'done' | 'asked' | 'failed';
  readonly result?: unknown;
}

@Service()
export class AuditLog {
  constructor(private readonly database: Database) {}

  async write({ principal, definition, args, outcome, result }: AuditEntry): Promise<void> {
    await this.database.rows(
      'insert into audit (principal, definition, args, outcome, result) values ($1, $2, $3, $4, $5)',
      [principal, definition, JSON.stringify(args), outcome, JSON.stringify(result)],
    );
  }
}

/** Writes down who called what, with which arguments, and what came of it. */
@Service()
export class AuditTrail implements Middleware {
  constructor(private readonly log: AuditLog) {}

  async handle({ principal, definition, args }: RequestContext, next: NextFunction): Promise<unknown> {
    const entry = { principal: principal?.id ?? 'nobody', definition: definition.name, args };
    try {
      const result = await next();
      await this.log.write({ ...entry, outcome: 'done', result });
      return result;
    } catch (error) {
      await this.log.write({ ...entry, outcome: isSuspension(error) ? 'asked' : 'failed' });
      throw error;
    }
  }
}
