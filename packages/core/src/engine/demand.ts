import type { Question } from '../context/questions.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Asking } from './asker.js';

interface Need {
  readonly met: unknown;
  readonly required: ClientCapabilities;
  readonly why: string;
}

/**
 * Sees to it that the client can answer a question.
 *
 * @throws ProtocolError that says what capability it lacks.
 */
export function demand(asking: Asking, question: Question): void {
  for (const { met, required, why } of needs(asking, question)) {
    if (!met) throw asking.revision.missingCapability(`The client ${why}`, required);
  }
}

function needs({ client, revision }: Asking, question: Question): readonly Need[] {
  const { elicitation, sampling, roots } = client.capabilities;
  switch (question.asks) {
    case 'elicit': {
      // A bare `elicitation: {}` means forms (2025-11-25, client/elicitation, "Capabilities").
      const showsForms = revision.elicitation.form && elicitation && (elicitation.form || !elicitation.url);
      return [{ met: showsForms, required: { elicitation: { form: {} } }, why: 'cannot show forms' }];
    }
    case 'elicitUrl': {
      const opensPages = revision.elicitation.url && elicitation?.url;
      return [{ met: opensPages, required: { elicitation: { url: {} } }, why: 'cannot open pages' }];
    }
    case 'sample': {
      const model = { met: sampling, required: { sampling: {} }, why: 'has no model to offer' };
      if (!question.params.tools) return [model];
      const takesTools = revision.samplingTools && sampling?.tools;
      const why = 'has no model that uses tools';
      return [model, { met: takesTools, required: { sampling: { tools: {} } }, why }];
    }
    case 'roots':
      return [{ met: roots, required: { roots: {} }, why: 'does not share its roots' }];
  }
}
