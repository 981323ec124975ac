import type { Constructor } from '../protocol/constructor.js';
import type { ClassModel, ClassModels } from './class-model.js';
import { DtoFunctionError } from './dto-function-error.js';
import type { PropertyModel } from './property-model.js';

/** class-transformer's numbers of the two directions. */
const NUMBERS = { input: 0, output: 1 } as const;

/** Says which class and property class-transformer failed in, which it does not say itself. */
export function transformFailure(
  cls: Constructor,
  value: unknown,
  models: ClassModels,
  cause: unknown,
): DtoFunctionError {
  const place = failingProperty(cls, value, models) ?? cls.name;
  return new DtoFunctionError(place, 'class-transformer, or a @Transform or @Type,', cause);
}

/** Runs the transforms once more, one by one, until one throws. */
function failingProperty(cls: Constructor, value: unknown, models: ClassModels): string | undefined {
  if (Array.isArray(value)) return first(value, (element) => failingProperty(cls, element, models));
  if (typeof value !== 'object' || value === null) return undefined;
  const model = models.of(cls, '', []);
  return first(model.properties, (property) => {
    const name = models.direction === 'input' ? property.wire : property.name;
    const held = (value as Record<string, unknown>)[name];
    if (property.transformed && fails(model, property, value, held, models))
      return `${cls.name}.${property.name}`;
    return property.nested && failingProperty(property.nested.cls, held, models);
  });
}

function fails(
  { cls }: ClassModel,
  { name }: PropertyModel,
  obj: object,
  value: unknown,
  { libraries, direction }: ClassModels,
): boolean {
  const type = NUMBERS[direction];
  try {
    for (const { transformFn } of libraries.transforms.findTransformMetadatas(cls, name, type))
      transformFn?.({ value, key: name, obj, type, options: {} });
    return false;
  } catch {
    return true;
  }
}

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
