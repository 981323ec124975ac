import type { FormLike, InputQuestion } from '../../context/questions.js';
import { InputResponseError } from '../../errors/errors.js';
import type {
  CreateMessageParams,
  ElicitResult,
  ElicitUrlResult,
  Root,
  SamplingContent,
  SamplingMessage,
} from '../../protocol/client-requests.js';
import { sendableBlock } from '../../protocol/content.js';
import { isObject, type JsonSchema, propertiesOf } from '../../protocol/json.js';
import { METHODS } from '../../protocol/protocol.js';
import { InvalidValueError, type ValuePlan } from '../../schema/index.js';
import type { Revision } from '../revisions/index.js';
import type { Answer, InputRequest } from './round-trip-state.js';

/** Writes questions in the format of a protocol revision, and reads the answers. */
export class QuestionCodec {
  /** @param formPlan a function that returns the plan for validating the answers to a form. */
  constructor(private readonly formPlan: (form: FormLike) => ValuePlan) {}

  /**
   * Converts a question to the request that a protocol revision defines for it.
   *
   * @throws ProtocolError when clients of this revision cannot show the question's form to the user.
   */
  write(question: InputQuestion, revision: Revision): InputRequest {
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
        return { method: METHODS.createMessage, params: revision.sampling(withBase64(question.params)) };
      case 'roots':
        return { method: METHODS.listRoots };
    }
  }

  /**
   * Reads the client's answer to a question.
   *
   * @throws InputResponseError if the answer has the wrong format for this kind of question, or does not match the
   *   schema of the form.
   */
  async read<T>(question: InputQuestion<T>, answer: Answer, revision: Revision): Promise<T> {
    return (await this.#read(question, answer, revision)) as T;
  }

  async #read(question: InputQuestion, answer: Answer, revision: Revision): Promise<unknown> {
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
        if (!isSampled(answer)) throw malformed(METHODS.createMessage);
        return { ...answer };
      case 'roots':
        return readRoots(answer);
    }
  }
}

/** Returns the parameters of a sampling request, with bytes as base64. */
function withBase64(params: CreateMessageParams): CreateMessageParams {
  const sent = (content: SamplingContent | readonly SamplingContent[]): SamplingMessage['content'] =>
    'type' in content ? sendableBlock(content) : content.map(sendableBlock);
  const messages = params.messages.map((message) => ({ ...message, content: sent(message.content) }));
  return { ...params, messages };
}

function malformed(method: string): InputResponseError {
  return new InputResponseError('invalid', `The client sent a malformed answer to ${method}`);
}

const ROLES: readonly unknown[] = ['user', 'assistant'];

/** Whether an answer is a valid message from a model. Handlers read it without another check. */
function isSampled({ role, content, model }: Answer): boolean {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const areBlocks = blocks.every((block) => isObject(block) && typeof block['type'] === 'string');
  return ROLES.includes(role) && areBlocks && typeof model === 'string';
}

/** The members of a root that must be strings. */
const ROOT_TEXTS: readonly string[] = ['name', 'title', 'kind'];

/** Returns the roots in an answer, as the client sent them, but without known members of the wrong type. */
function readRoots({ roots }: Answer): readonly Root[] {
  if (!Array.isArray(roots)) throw malformed(METHODS.listRoots);
  return roots.map((root: unknown) => {
    const { uri, _meta, ...members } = isObject(root) ? root : {};
    if (typeof uri !== 'string' || !URL.canParse(uri)) throw malformed(METHODS.listRoots);
    const kept = Object.entries(members).filter(
      ([name, value]) => !ROOT_TEXTS.includes(name) || typeof value === 'string',
    );
    return { uri, ...Object.fromEntries(kept), ...(isObject(_meta) ? { _meta } : {}) };
  });
}

async function checkContent(form: ValuePlan, content: Record<string, unknown>): Promise<unknown> {
  await form.ready();
  try {
    return await form.check(askedFor(form, content));
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    const message = `The client's answer does not satisfy the form: ${error.message}`;
    throw new InputResponseError('invalid', message, { cause: error });
  }
}

/** Removes properties that were not asked for. The form that clients get allows further properties. */
function askedFor(form: ValuePlan, content: Record<string, unknown>): Record<string, unknown> {
  const asked = Object.keys(propertiesOf(form.advertised));
  return Object.fromEntries(Object.entries(content).filter(([name]) => asked.includes(name)));
}

function readAction({ action }: Answer): ElicitResult['action'] {
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') throw malformed(METHODS.elicit);
  return action;
}

function readUrlResult(answer: Answer, { sessions }: Revision): ElicitUrlResult {
  const action = readAction(answer);
  const { elicitationId } = answer;
  // The server sets the page id. From clients without page ids, the value means nothing.
  return typeof elicitationId === 'string' && sessions ? { action, elicitationId } : { action };
}

const PRIMITIVES: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/**
 * Converts the schema of a form to the format that clients get. The result is a schema of an object. It lists the
 * properties and the names of the required properties, and nothing else. If a property with an `enum` of strings has no
 * `type`, the type `string` is added (2026-07-28, client/elicitation, "Requested Schema").
 */
export function requestedSchema(schema: JsonSchema): JsonSchema {
  const { required } = schema;
  const typed = Object.entries(propertiesOf(schema)).map(
    ([name, property]) => [name, withType(property)] as const,
  );
  return {
    type: 'object',
    properties: Object.fromEntries(typed),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}

/** Finds the properties of a schema that clients cannot show in a form. Returns the names of these properties. */
export function unshowable(schema: JsonSchema): string[] {
  return Object.entries(propertiesOf(schema))
    .filter(([, property]) => !isShowable(withType(property)))
    .map(([name]) => name);
}

function isShowable(property: JsonSchema): boolean {
  if (PRIMITIVES.includes(property['type'])) return true;
  const { items } = property;
  return property['type'] === 'array' && isObject(items) && ('enum' in items || 'anyOf' in items);
}

/** Adds the type `string` to a list of strings to choose from, if the schema has no `type`. */
function withType(property: unknown): JsonSchema {
  if (!isObject(property)) return {};
  const { enum: choices } = property;
  const isChoice = Array.isArray(choices) && choices.every((choice) => typeof choice === 'string');
  return property['type'] === undefined && isChoice ? { type: 'string', ...property } : property;
}
