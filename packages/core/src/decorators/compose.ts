/** A decorator of a class or a method. */
type AnyDecorator = (target: never, member: never, descriptor: never) => void;

/**
 * Joins decorators of methods or classes into one, which applies them as if they stood below each other in this order.
 *
 * @example
 * ```ts
 * const AdminTool = (options: ToolOptions) => compose(Tool(options), UseGuards(RolesGuard), Roles(['admin']));
 * ```
 */
export function compose(...decorators: readonly AnyDecorator[]): ClassDecorator & MethodDecorator {
  return (target: object, member?: string | symbol, descriptor?: PropertyDescriptor): void => {
    // Decorators apply from the bottom up.
    for (const decorate of [...decorators].reverse()) {
      decorate(target as never, member as never, descriptor as never);
    }
  };
}
