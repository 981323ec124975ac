import { Arg, McpHeader, Service, Tool } from '@sigil/core';

/** Arguments that gateways can route by without reading bodies. */
@Service()
export class HeaderTools {
  @Tool({ name: 'test_x_mcp_header', description: 'Serves a region that is also in a header' })
  region(
    @McpHeader('Region')
    @Arg('region', { optional: true, description: 'Mirrored in Mcp-Param-Region' })
    region?: string,
    @Arg('level', { type: 'integer', optional: true, description: 'In the body alone' }) level?: number,
  ): string {
    return `region=${region ?? '<none>'}, level=${level ?? '<none>'}`;
  }
}
