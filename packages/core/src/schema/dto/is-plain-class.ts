import { annotatedProperties, annotationsOf } from '../../metadata/metadata.js';
import { DESIGN, readOwn } from '../../metadata/keys.js';
import type { Constructor } from '../../protocol/constructor.js';
import { ruleNamed } from '../describe/rules/table.js';
import { type ClassLibraries, ownRules, type RuleMetadata } from './class-libraries.js';
import { initialValues } from './dto.js';
import { mapTransforms } from './mapping.js';

/** Rules with which a property can be declared wrongly. */
const DELICATE: ReadonlySet<unknown> = new Set(['matches', 'isInstance']);

/** Types of properties that hold no object of a class. */
const SIMPLE: ReadonlySet<unknown> = new Set([String, Number, Boolean, Array, Object, undefined]);

/**
 * Whether nothing can be wrong with a class or its constraints, and nothing of it travels in headers: most classes are like that, and
 * reading the rest of them can wait until they are used. False where that would take long to find out.
 */
export function isPlainClass(cls: Constructor, { rules, transforms }: ClassLibraries): boolean {
  mapTransforms(cls, transforms);
  const own = ownRules(rules, cls);
  if (own === undefined || initialValues(cls, '', []) === undefined) return false;
  const prototype = cls.prototype as object;
  const isPlainRule = ({ type, name, constraintCls }: RuleMetadata): boolean =>
    constraintCls === undefined
      ? type === 'conditionalValidation'
      : !DELICATE.has(name) &&
        // Constraints of authors may need what is not there.
        constraintCls.length === 0 &&
        ruleNamed(name) !== undefined &&
        rules.getTargetValidatorConstraints(constraintCls).length > 0;
  const names = new Set(own.map((rule) => rule.propertyName));
  if ([...annotatedProperties(prototype)].some((name) => !names.has(String(name)))) return false;
  // What an array holds is known from rules for each element only.
  const says = (name: string): boolean => own.some((rule) => rule.propertyName === name && rule.each);
  const isPlainProperty = (name: string): boolean =>
    (readOwn(DESIGN.type, prototype, name) !== Array || says(name)) &&
    SIMPLE.has(readOwn(DESIGN.type, prototype, name)) &&
    annotationsOf(prototype, name).header === undefined &&
    transforms.findTypeMetadata(cls, name) === undefined;
  return own.every(isPlainRule) && [...names].every(isPlainProperty);
}
