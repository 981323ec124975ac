import type { AskOptions } from '../context/call.js';
import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  Root,
} from '../protocol/client-requests.js';
import { isObject } from '../protocol/json.js';
import { METHODS } from '../protocol/methods.js';
import { InvalidValueError, type ValuePlan } from '../schema/index.js';
import type { Exchange } from './exchange.js';
import { requestedSchema } from './requested-schema.js';

/** How a handler's questions reach the client and its answers come back. */
export interface Asker {
  elicit(exchange: Exchange, message: string, form: ValuePlan, options?: AskOptions): Promise<ElicitResult>;
  elicitUrl(exchange: Exchange, message: string, url: string, options?: AskOptions): Promise<ElicitResult>;
  sample(exchange: Exchange, params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  roots(exchange: Exchange, options?: AskOptions): Promise<readonly Root[]>;
}

/** One question to a client: a request of the server's, whatever carries it. */
export interface Question {
  readonly method: string;
  readonly params?: object;
}

/** Carries questions to the client: as requests of its own, or inside results. */
export type Carry = (
  exchange: Exchange,
  question: Question,
  options?: AskOptions,
) => Promise<Record<string, unknown>>;

/** Makes questions of what handlers ask, sees to it that the client can answer, and checks the answers. */
export function createAsker(carry: Carry): Asker {
  return {
    async elicit(exchange, message, form, options) {
      const { capabilities } = exchange.client;
      const { elicitation } = capabilities;
      // A bare `elicitation: {}` means forms (2025-11-25, client/elicitation, "Capabilities").
      const canShowForms = elicitation && (elicitation.form || !elicitation.url);
      demand(
        exchange,
        exchange.revision.elicitation.form && canShowForms,
        {
          elicitation: { form: {} },
        },
        'cannot show forms',
      );
      const params = { message, requestedSchema: requestedSchema(form.advertised) };
      const answer = readElicitResult(await carry(exchange, { method: METHODS.elicit, params }, options));
      if (answer.action !== 'accept') return { action: answer.action };
      return { action: 'accept', content: await checkAnswer(form, answer.content ?? {}) };
    },
    async elicitUrl(exchange, message, url, options) {
      const canOpen = exchange.revision.elicitation.url && exchange.client.capabilities.elicitation?.url;
      demand(exchange, canOpen, { elicitation: { url: {} } }, 'cannot open pages');
      const id = exchange.revision.stateless ? {} : { elicitationId: crypto.randomUUID() };
      const params = { mode: 'url', message, url, ...id };
      return {
        action: readElicitResult(await carry(exchange, { method: METHODS.elicit, params }, options)).action,
      };
    },
    async sample(exchange, params, options) {
      const { sampling } = exchange.client.capabilities;
      demand(exchange, sampling, { sampling: {} }, 'has no model to offer');
      if (params.tools)
        demand(exchange, sampling?.tools, { sampling: { tools: {} } }, 'has no model that uses tools');
      const answer = await carry(exchange, { method: METHODS.createMessage, params }, options);
      if (!('content' in answer) || typeof answer['role'] !== 'string')
        throw malformed(METHODS.createMessage);
      return answer as unknown as CreateMessageResult;
    },
    async roots(exchange, options) {
      demand(exchange, exchange.client.capabilities.roots, { roots: {} }, 'does not share its roots');
      const answer = await carry(exchange, { method: METHODS.listRoots }, options);
      if (!Array.isArray(answer['roots'])) throw malformed(METHODS.listRoots);
      return answer['roots'] as Root[];
    },
  };
}

function demand(exchange: Exchange, capable: unknown, required: ClientCapabilities, why: string): void {
  if (!capable) throw exchange.revision.missingCapability(`The client ${why}`, required);
}

function malformed(method: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, `The client sent a malformed answer to ${method}`);
}

async function checkAnswer(
  form: ValuePlan,
  content: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  await form.ready();
  try {
    return (await form.check(content)) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    const message = `The client's answer does not satisfy the form: ${error.message}`;
    throw new ProtocolError(ERROR_CODES.invalidParams, message, { issues: error.issues });
  }
}

function readElicitResult(answer: Record<string, unknown>): ElicitResult {
  const { action, content } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') throw malformed(METHODS.elicit);
  return isObject(content) ? { action, content } : { action };
}
