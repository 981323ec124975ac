type Value = string | number | boolean | string[];

/** What the user does with a form or a page. */
export interface Elicited {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, Value>;
}

interface Root {
  uri: string;
  name?: string;
}

/** What a client answers when the server asks it something. Tests say so before they make it ask. */
export class Answers {
  roots: Root[] = [{ uri: 'file:///work', name: 'Work' }];
  /** What the model says, or how the client refuses to ask it. */
  model: string | Error = 'Paris';
  readonly #elicited: (Elicited | Promise<Elicited>)[] = [];

  /** Lines up what the user does next, or will have done some time. */
  user(...elicited: (Elicited | Promise<Elicited>)[]): void {
    this.#elicited.push(...elicited);
  }

  async elicit(): Promise<Elicited & Record<string, unknown>> {
    const next = await this.#elicited.shift();
    if (!next) throw new Error('The test has lined up no answer of the user');
    return { ...next };
  }

  sample(): { role: 'assistant'; model: string; content: { type: 'text'; text: string } } {
    if (this.model instanceof Error) throw this.model;
    return { role: 'assistant', model: 'e2e-model', content: { type: 'text', text: this.model } };
  }

  listRoots(): { roots: Root[] } {
    return { roots: this.roots };
  }
}
