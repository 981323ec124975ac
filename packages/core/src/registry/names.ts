/** Specification 2026-07-28, server/tools, "Tool Names". */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Whether a tool or prompt may have this name. */
export function isValidName(name: string): boolean {
  return TOOL_NAME.test(name);
}

/** The name a method gives its definition: `checkInventory` → `check_inventory`. */
export function nameFromMethod(method: string | symbol): string {
  const name = typeof method === 'symbol' ? (method.description ?? '') : method;
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** A method in messages to the author. */
export function placeOf(cls: { readonly name: string }, method: string | symbol): string {
  return `${cls.name}.${String(method)}`;
}
