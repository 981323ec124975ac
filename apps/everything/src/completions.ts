import { Complete, CompletionContext, Service } from '@sigil/core';
import { Language } from './review-request.js';

const CITIES: ReadonlyMap<string, readonly string[]> = new Map([
  ['france', ['paris', 'pau', 'perpignan']],
  ['italy', ['palermo', 'parma', 'pisa']],
]);

/** Completions for the arguments of prompts that other classes define. */
@Service()
export class Completions {
  @Complete('test_prompt_with_arguments', 'arg1')
  countries(prefix: string): string[] {
    return [...CITIES.keys()].filter((country) => country.startsWith(prefix));
  }

  @Complete('test_prompt_with_arguments', 'arg2')
  cities(prefix: string, { args: settled }: CompletionContext): string[] {
    const cities = CITIES.get(settled['arg1'] ?? '') ?? [...CITIES.values()].flat();
    return cities.filter((city) => city.startsWith(prefix));
  }

  @Complete('review_code', 'language')
  languages(prefix: string): string[] {
    return Object.values(Language).filter((language) => language.startsWith(prefix));
  }
}
