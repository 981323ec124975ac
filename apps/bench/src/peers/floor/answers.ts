import { toolNames } from '../../options.js';

/** The part of a request a floor looks at. */
interface FloorRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: { readonly arguments: { readonly a: number; readonly b: number } };
}

const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } };
const number = { type: 'number' };

/**
 * Returns the function that answers requests in a minimal server (a floor). It parses the request, adds the numbers,
 * and returns the same text as a server of revision 2026-07-28. It validates nothing and looks up nothing. It
 * serializes the list of tools only once.
 */
export function floorAnswers(tools: number): (request: string) => string {
  const list = JSON.stringify({
    tools: toolNames(tools).map((name) => ({
      name,
      description: 'Add two numbers',
      inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
      outputSchema: { type: 'object', properties: { sum: number }, required: ['sum'] },
    })),
    ttlMs: 0,
    cacheScope: 'private',
    resultType: 'complete',
    _meta: serverInfo,
  });

  return (text) => {
    const request = JSON.parse(text) as FloorRequest;
    if (request.method === 'tools/list') {
      return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":${list}}`;
    }
    const sum = { sum: request.params.arguments.a + request.params.arguments.b };
    return JSON.stringify({
      jsonrpc: '2.0',
      id: request.id,
      result: {
        content: [{ type: 'text', text: JSON.stringify(sum) }],
        structuredContent: sum,
        resultType: 'complete',
        _meta: serverInfo,
      },
    });
  };
}
