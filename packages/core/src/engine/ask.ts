import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { CreateMessageResult, ElicitResult, Root } from '../protocol/client-requests.js';
import { isObject } from '../protocol/json.js';
import { METHODS } from '../protocol/methods.js';
import { InvalidValueError, type ValuePlan } from '../schema/index.js';
import type { Asker, Asking, Carry } from './asker.js';
import { requestedSchema } from './requested-schema.js';

/** Makes questions of what handlers ask, sees to it that the client can answer, and checks the answers. */
export function createAsker(carry: Carry): Asker {
  return {
    async elicit(asking, message, form, options) {
      const { capabilities } = asking.client;
      const { elicitation } = capabilities;
      // A bare `elicitation: {}` means forms (2025-11-25, client/elicitation, "Capabilities").
      const canShowForms = elicitation && (elicitation.form || !elicitation.url);
      const canShow = asking.revision.elicitation.form && canShowForms;
      demand(asking, canShow, { elicitation: { form: {} } }, 'cannot show forms');
      const params = { message, requestedSchema: asking.revision.form(requestedSchema(form.advertised)) };
      const answer = readElicitResult(await carry(asking, { method: METHODS.elicit, params }, options));
      if (answer.action !== 'accept') return { action: answer.action };
      return { action: 'accept', content: await checkAnswer(form, answer.content ?? {}) };
    },
    async elicitUrl(asking, message, url, options) {
      const canOpen = asking.revision.elicitation.url && asking.client.capabilities.elicitation?.url;
      demand(asking, canOpen, { elicitation: { url: {} } }, 'cannot open pages');
      const id = asking.revision.stateless ? {} : { elicitationId: crypto.randomUUID() };
      const question = { method: METHODS.elicit, params: { mode: 'url', message, url, ...id } };
      const { action } = readElicitResult(await carry(asking, question, options));
      if (id.elicitationId !== undefined) (asking.link.elicitations ??= new Set()).add(id.elicitationId);
      return { action, ...id };
    },
    async ping(asking, options) {
      if (!asking.revision.stateless) await carry(asking, { method: METHODS.ping }, options);
    },
    async sample(asking, params, options) {
      const { sampling } = asking.client.capabilities;
      demand(asking, sampling, { sampling: {} }, 'has no model to offer');
      if (params.tools)
        demand(
          asking,
          asking.revision.samplingTools && sampling?.tools,
          { sampling: { tools: {} } },
          'has no model that uses tools',
        );
      const answer = await carry(
        asking,
        { method: METHODS.createMessage, params: asking.revision.sampling(params) },
        options,
      );
      if (!('content' in answer) || typeof answer['role'] !== 'string')
        throw malformed(METHODS.createMessage);
      return answer as unknown as CreateMessageResult;
    },
    async roots(asking, options) {
      demand(asking, asking.client.capabilities.roots, { roots: {} }, 'does not share its roots');
      const answer = await carry(asking, { method: METHODS.listRoots }, options);
      if (!Array.isArray(answer['roots'])) throw malformed(METHODS.listRoots);
      return answer['roots'] as Root[];
    },
  };
}

function demand(asking: Asking, capable: unknown, required: ClientCapabilities, why: string): void {
  if (!capable) throw asking.revision.missingCapability(`The client ${why}`, required);
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
    return (await form.check(askedFor(form, content))) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    const message = `The client's answer does not satisfy the form: ${error.message}`;
    throw new ProtocolError(ERROR_CODES.invalidParams, message, { issues: error.issues });
  }
}

/** The form as it is sent forbids no other properties; what was not asked for is left aside. */
function askedFor(form: ValuePlan, content: Record<string, unknown>): Record<string, unknown> {
  const asked = Object.keys((form.advertised['properties'] ?? {}) as object);
  return Object.fromEntries(Object.entries(content).filter(([name]) => asked.includes(name)));
}

function readElicitResult(answer: Record<string, unknown>): ElicitResult {
  const { action, content } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') throw malformed(METHODS.elicit);
  return isObject(content) ? { action, content } : { action };
}
