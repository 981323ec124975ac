import { handlers } from '../../../../lib/mcp';

export const { GET, OPTIONS } = handlers;
