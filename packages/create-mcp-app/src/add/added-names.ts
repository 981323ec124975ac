import { Failure } from '../failures.js';

/** The forms of a name: for files, for code, and for clients. */
export interface AddedNames {
  /** The name for files, such as `get-weather`. */
  readonly kebab: string;
  /** The name of the class, such as `GetWeather`. */
  readonly className: string;
  /** The name of the method, such as `getWeather`. */
  readonly method: string;
  /** The name for clients, such as `get_weather`. It is derived from the name of the method. */
  readonly served: string;
}

/** Maximum length of a name. Some model hosts refuse longer tool names. */
const MAX_LENGTH = 64;

/** The names of classes and decorators that added files use, including those that compilers emit as types. */
const USED: ReadonlySet<string> = new Set(
  'Arg Map Object Param Promise Prompt PromptMessage Resource Service String Tool'.split(' '),
);

/**
 * Returns the forms of a name. The given name can have any form: `getWeather`, `get-weather`,
 * `get_weather` or `Get weather`.
 *
 * @throws Failure `INVALID_NAME` if the name is not valid in code.
 */
export function namesFrom(said: string): AddedNames {
  const words = wordsOf(said);
  const [first = ''] = words;
  if (!/^[\w\s-]+$/.test(said) || !/^[a-z]/.test(first)) {
    throw new Failure(
      'INVALID_NAME',
      `'${said}' is not a valid name for a class: use letters, digits and hyphens, beginning with a letter, such as get-weather`,
    );
  }
  if (said.length > MAX_LENGTH)
    throw new Failure('INVALID_NAME', `a name has at most ${MAX_LENGTH} characters, not ${said.length}`);
  const className = words.map(capitalized).join('');
  const method = first + words.slice(1).map(capitalized).join('');
  if (method in Object.prototype) {
    throw new Failure(
      'INVALID_NAME',
      `'${said}' is the name of a member that every object has: choose another name`,
    );
  }
  if (USED.has(className))
    throw new Failure(
      'INVALID_NAME',
      `the added file already uses the name ${className}: choose a name other than '${said}', such as my-${words.join('-')}`,
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

/**
 * Separates words at capital letters, and converts them to lower case. With `_`, the result is the name that
 * decorators derive from a method.
 */
function separated(text: string, separator: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, `$1${separator}$2`)
    .replace(/([A-Z])([A-Z][a-z])/g, `$1${separator}$2`)
    .toLowerCase();
}
