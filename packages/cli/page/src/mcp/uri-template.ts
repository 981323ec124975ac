import { objectOf } from '../../../src/json.js';
import { shown } from './messages.js';

/** How each operator of RFC 6570 formats its variables. */
const OPERATORS: Readonly<
  Record<string, { first: string; between: string; isNamed: boolean; keeps: boolean }>
> = {
  '': { first: '', between: ',', isNamed: false, keeps: false },
  '+': { first: '', between: ',', isNamed: false, keeps: true },
  '#': { first: '#', between: ',', isNamed: false, keeps: true },
  '.': { first: '.', between: '.', isNamed: false, keeps: false },
  '/': { first: '/', between: '/', isNamed: false, keeps: false },
  ';': { first: ';', between: ';', isNamed: true, keeps: false },
  '?': { first: '?', between: '&', isNamed: true, keeps: false },
  '&': { first: '&', between: '&', isNamed: true, keeps: false },
};

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

/** Returns the names of the variables in a URI template (RFC 6570), in order. */
export function variablesOf(template: string): readonly string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list = '']) => list.split(',').map(nameOf));
  return [...new Set(names)];
}

function nameOf(variable: string): string {
  return variable.replace(/(\*|:\d+)$/, '').trim();
}

/** Expands a URI template with the members of an object. Variables without a value are left out. */
export function expand(template: string, given: unknown): string {
  const values = objectOf(given);
  return template.replace(EXPRESSION, (_all, operator: string, list: string) => {
    const { first, between, isNamed, keeps } = OPERATORS[operator] ?? OPERATORS['']!;
    const parts = list.split(',').flatMap((variable) => {
      const name = nameOf(variable);
      const whole = Object.hasOwn(values, name) ? shown(values[name]) : '';
      if (whole === '') return [];
      const [, length] = /:(\d+)$/.exec(variable) ?? [];
      const text = length === undefined ? whole : whole.slice(0, Number(length));
      const encoded = keeps ? encodeURI(text) : encodeURIComponent(text);
      return [isNamed ? `${name}=${encoded}` : encoded];
    });
    return parts.length === 0 ? '' : first + parts.join(between);
  });
}
