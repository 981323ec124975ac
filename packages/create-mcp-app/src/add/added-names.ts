import { Failure } from '../failures.js';

/** A name, as files, code and clients have it. */
export interface AddedNames {
  /** Of files: `get-weather`. */
  readonly kebab: string;
  /** Of the class: `GetWeather`. */
  readonly className: string;
  /** Of its method: `getWeather`. */
  readonly method: string;
  /** Its name for clients, made from the method's name: `get_weather`. */
  readonly served: string;
}

/** Some hosts of models refuse longer names of tools. */
const MAX_LENGTH = 64;

/** The classes and decorators of added files, also those that compilers emit as types. */
const USED: ReadonlySet<string> = new Set(
  'Arg Map Object Param Promise Prompt PromptMessage Resource Service String Tool'.split(' '),
);

/**
 * The forms of a name that was said in any of them: `getWeather`, `get-weather`, `get_weather` or `Get weather`.
 *
 * @throws Failure `INVALID_NAME` when code cannot have it.
 */
export function namesFrom(said: string): AddedNames {
  const words = wordsOf(said);
  const [first = ''] = words;
  if (!/^[\w\s-]+$/.test(said) || !/^[a-z]/.test(first)) {
    throw new Failure(
      'INVALID_NAME',
      `'${said}' is no name for a class: use letters, digits and hyphens, a letter first, such as get-weather`,
    );
  }
  if (said.length > MAX_LENGTH)
    throw new Failure('INVALID_NAME', `a name has at most ${MAX_LENGTH} characters, not ${said.length}`);
  const className = words.map(capitalized).join('');
  const method = first + words.slice(1).map(capitalized).join('');
  if (method in Object.prototype) {
    throw new Failure('INVALID_NAME', `'${said}' is what every object has already: choose another name`);
  }
  if (USED.has(className))
    throw new Failure(
      'INVALID_NAME',
      `the added file uses another ${className}: choose another name than '${said}', such as my-${words.join('-')}`,
    );
  return { kebab: words.join('-'), className, method, served: separated(method, '_') };
}

function wordsOf(said: string): string[] {
  return separated(said, ' ')
    .split(/[\s_-]+/)
    .filter((word) => word !== '');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Separates words at capitals, in lower case: with `_` this is the decorators' name of a method. */
function separated(text: string, separator: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, `$1${separator}$2`)
    .replace(/([A-Z])([A-Z][a-z])/g, `$1${separator}$2`)
    .toLowerCase();
}
