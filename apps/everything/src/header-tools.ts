import { Arg, McpHeader, Service, Tool } from '@sigil/core';

/** A tool with an argument that clients repeat in an HTTP header, so that gateways can route by this header. */
@Service()
export class HeaderTools {
  @Tool({
    name: 'test_x_mcp_header',
    description: 'Returns its arguments; clients repeat the region in a header',
  })
  region(
    @McpHeader('Region')
    @Arg('region', { optional: true, description: 'Repeated in the header Mcp-Param-Region' })
    region?: string,
    @Arg('level', { type: 'integer', optional: true, description: 'Only in the body, not in a header' })
    level?: number,
  ): string {
    return `region=${region ?? '<none>'}, level=${level ?? '<none>'}`;
  }
}
