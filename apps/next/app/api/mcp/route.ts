import { handlers } from '../../../lib/mcp';

export const { GET, POST, DELETE, OPTIONS } = handlers;
