import type { FormLike } from '../context/questions.js';
import type { Question } from '../context/questions.js';
import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import type { ElicitResult, ElicitUrlResult } from '../protocol/client-requests.js';
import { isObject } from '../protocol/json.js';
import { METHODS } from '../protocol/methods.js';
import { InvalidValueError, type ValuePlan } from '../schema/index.js';
import type { InputRequest } from './input-request.js';
import { requestedSchema } from './requested-schema.js';
import type { Revision } from './revisions/index.js';
import type { Answer } from './rounds/round-memory.js';

/** Writes questions as clients of a revision know them, and reads what they answer. */
export class QuestionCodec {
  /** @param formPlan gives the plan of a form. */
  constructor(private readonly formPlan: (form: FormLike) => ValuePlan) {}

  /** @throws ProtocolError when clients of the revision cannot show the form. */
  write(question: Question, revision: Revision): InputRequest {
    switch (question.asks) {
      case 'elicit': {
        const { advertised } = this.formPlan(question.form);
        const form = revision.form(requestedSchema(advertised));
        return { method: METHODS.elicit, params: { message: question.message, requestedSchema: form } };
      }
      case 'elicitUrl': {
        const { message, url } = question;
        return { method: METHODS.elicit, params: { mode: 'url', message, url } };
      }
      case 'sample':
        return { method: METHODS.createMessage, params: revision.sampling(question.params) };
      case 'roots':
        return { method: METHODS.listRoots };
    }
  }

  /** @throws ProtocolError (-32602) when the answer is none to the question, or does not satisfy its form. */
  async read<T>(question: Question<T>, answer: Answer, revision: Revision): Promise<T> {
    return (await this.#read(question, answer, revision)) as T;
  }

  async #read(question: Question, answer: Answer, revision: Revision): Promise<unknown> {
    switch (question.asks) {
      case 'elicit': {
        const action = readAction(answer);
        if (action !== 'accept') return { action };
        const content = isObject(answer['content']) ? answer['content'] : {};
        return { action, content: await checkContent(this.formPlan(question.form), content) };
      }
      case 'elicitUrl':
        return readUrlResult(answer, revision);
      case 'sample':
        if (!('content' in answer) || typeof answer['role'] !== 'string')
          throw malformed(METHODS.createMessage);
        return { ...answer };
      case 'roots':
        if (!Array.isArray(answer['roots'])) throw malformed(METHODS.listRoots);
        return answer['roots'];
    }
  }
}

function malformed(method: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, `The client sent a malformed answer to ${method}`);
}

async function checkContent(form: ValuePlan, content: Record<string, unknown>): Promise<unknown> {
  await form.ready();
  try {
    return await form.check(askedFor(form, content));
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

function readAction({ action }: Answer): ElicitResult['action'] {
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') throw malformed(METHODS.elicit);
  return action;
}

function readUrlResult(answer: Answer, { stateless }: Revision): ElicitUrlResult {
  const action = readAction(answer);
  const { elicitationId } = answer;
  // The identity is the server's: where pages have none, what a client says it is means nothing.
  return typeof elicitationId === 'string' && !stateless ? { action, elicitationId } : { action };
}
