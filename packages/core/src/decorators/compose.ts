/**
 * Joins decorators of methods or classes into one, which applies them as if they stood below each other in this order.
 *
 * @example
 * ```ts
 * const AdminTool = (options: ToolOptions) => compose(Tool(options), UseGuards(RolesGuard), Roles(['admin']));
 * ```
 */
export function compose(
  ...decorators: readonly (ClassDecorator | MethodDecorator | PropertyDecorator)[]
): ClassDecorator & MethodDecorator {
  return (target: object, member?: string | symbol, descriptor?: PropertyDescriptor): void => {
    // Decorators apply from the bottom up.
    for (const decorate of [...decorators].reverse()) {
      (decorate as (...target: readonly unknown[]) => void)(target, member, descriptor);
    }
  };
}
