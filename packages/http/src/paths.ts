/** Whether a request target, such as `/mcp/?a=1`, is at a path. */
export function isAt(target: string | undefined, path: string): boolean {
  return (
    target === path || (target?.startsWith(path) === true && /^\/?(\?|$)/.test(target.slice(path.length)))
  );
}
