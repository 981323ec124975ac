import { Arg, Complete, Prompt, Service } from '@sigil/core';
import { type PromptMessage, message } from '@sigil/core/content';
import { Catalog } from '../services/catalog.js';

@Service()
export class RecommendBooks {
  constructor(private readonly catalog: Catalog) {}

  @Prompt({ description: 'Recommends books of one subject to a reader' })
  recommendBooks(
    @Arg('subject', { description: 'Subject of the books' }) subject: string,
    @Arg('reader', { description: 'The reader of the books', default: 'an adult' }) reader: string,
  ): PromptMessage {
    const titles = this.catalog.on(subject).map(({ title, author }) => `- ${title}, by ${author}`);
    return message.user(
      `Which of these books would you recommend to ${reader}, and why?\n\n${titles.join('\n')}`,
    );
  }

  @Complete('recommend_books', 'subject')
  subjects(prefix: string): string[] {
    return this.catalog.subjects().filter((subject) => subject.startsWith(prefix));
  }
}
